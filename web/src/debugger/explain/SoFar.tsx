import { type ReactNode, useState } from "react";
import { LookLine } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useSearch } from "./hooks";
import type { SearchContext } from "./search";
import { SO_FAR } from "./words";

/**
 * A sum over the run from boot to now; on a full-size machine it is computed only on request.
 */
export function SoFar<T>({
  info,
  frame,
  log,
  isPaused,
  about,
  ask,
  add,
  children,
}: PartProps & {
  /** The purpose of the replay. */
  about: string;
  /** The label of the button that starts it. */
  ask: string;
  add: (looking: SearchContext, step: number) => Promise<T>;
  /** Shows the sum and the step that it reaches. */
  children: (sum: T, step: number) => ReactNode;
}) {
  const { step, time_ns } = frame.view.position;
  const [isOn, setOn] = useState(info.teaching);
  const key = isPaused && isOn ? `${step} ${info.experiment}` : null;
  const found = useSearch(key, log, async (looking) => ({ sum: await add(looking, step), step }));
  // After a step back, sums that include later steps are hidden.
  const sums = found.value && found.value.step <= step ? found.value : null;
  return (
    <>
      <LookLine {...found} goOn={found.again}>
        {sums && sums.step !== step && SO_FAR.addedUpToOnly(sums.step)}
      </LookLine>
      {!isOn && (
        <p className="else">
          {SO_FAR.toRunSoFar(about, time_ns)}{" "}
          <button type="button" className="btn line tiny" onClick={() => setOn(true)}>
            {ask}
          </button>
        </p>
      )}
      {sums && children(sums.sum, sums.step)}
    </>
  );
}
