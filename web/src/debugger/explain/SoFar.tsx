import { type ReactNode, useState } from "react";
import { count, duration } from "../../engine/format";
import { LookLine } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { useLook } from "./hooks";
import type { Looking } from "./look";

/** Something added up over the run from boot to now; on a machine of full size only when asked for. */
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
  /** What the run is replayed for. */
  about: string;
  /** What asks for it. */
  ask: string;
  add: (looking: Looking, step: number) => Promise<T>;
  /** What was found, and up to which step. */
  children: (sum: T, step: number) => ReactNode;
}) {
  const { step, time_ns } = frame.view.position;
  const [isWanted, setWanted] = useState(info.teaching);
  const key = isPaused && isWanted ? `${step} ${info.experiment}` : null;
  const found = useLook(key, log, async (looking) => ({ sum: await add(looking, step), step }));
  // What lies ahead of a person who has gone back is not told.
  const shown = found.value && found.value.step <= step ? found.value : null;
  return (
    <>
      <LookLine {...found} goOn={found.again}>
        {shown && shown.step !== step && `Added up to #${count(shown.step)} only.`}
      </LookLine>
      {!isWanted && (
        <p className="else">
          To {about}, the run so far ({duration(time_ns)}) is replayed.{" "}
          <button type="button" className="btn line tiny" onClick={() => setWanted(true)}>
            {ask}
          </button>
        </p>
      )}
      {shown && children(shown.sum, shown.step)}
    </>
  );
}
