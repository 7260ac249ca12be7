import "./paid.css";
import { useMemo, useState } from "react";
import { useWorkbenchState } from "../../app/context";
import type { Paid } from "../../engine/paid";
import { readSeries, rowTime, type Series } from "../../engine/rows";
import { Dialog } from "../../ui/dialog";
import { stepsOf } from "../moments";
import { CpuTimeTable } from "./CpuTimeTable";
import { hasReclaim, MEASURES } from "./measures";
import { PaidFlow } from "./PaidFlow";
import { TakenTable } from "./TakenTable";
import { usePaid } from "./usePaid";
import { WorkTable } from "./WorkTable";
import { MEASURE_WORDS, type MeasureName, PAID } from "./words";

/** Shows which task reclaimed memory, for which task, and whose pages it took. */
export function PaidDialog({ close }: { close: () => void }) {
  const session = useWorkbenchState((state) => state.session);
  const range = useWorkbenchState((state) => state.range);
  const zones = session?.frame?.view.zones.length ?? 0;
  const timeline = session?.timeline;
  const series = useMemo(
    () => (timeline && zones > 0 ? readSeries(timeline, zones) : null),
    [timeline, zones],
  );
  const furthest = session?.frame?.furthest;
  const stretch = useMemo(() => {
    if (!furthest) return null;
    const whole = { from: 0, to: furthest.step, from_ns: 0, to_ns: furthest.time_ns };
    return range && series && series.length > 1 ? rangeOf(series, range) : whole;
  }, [series, range, furthest]);
  return (
    <Dialog title={PAID.title} close={close} wide className="paid-dialog">
      {session && stretch && (
        <>
          <p>
            {PAID.about(stretch.from_ns, stretch.to_ns, stretch.from, stretch.to)}{" "}
            {range ? PAID.rangeHelp : PAID.wholeHelp}
          </p>
          <Answer experiment={session.experiment} from={stretch.from} to={stretch.to} />
        </>
      )}
    </Dialog>
  );
}

/** The steps of a range of time, and the times of these steps. */
function rangeOf(series: Series, range: readonly [number, number]) {
  const { from, to } = stepsOf(series, range);
  let [from_ns, to_ns] = range;
  for (let row = 0; row < series.length; row += 1) {
    const time_ns = rowTime(series, row);
    if (time_ns <= range[0]) from_ns = time_ns;
    to_ns = time_ns;
    if (time_ns >= range[1]) break;
  }
  return { from, to, from_ns, to_ns };
}

function Answer({ experiment, from, to }: { experiment: string; from: number; to: number }) {
  const { state, again } = usePaid(experiment, from, to);
  switch (state.kind) {
    case "replaying":
      return (
        <p className="else" role="status" aria-busy="true">
          {PAID.replaying(state.share)}
        </p>
      );
    case "no-memory":
      return <p className="else">{PAID.noMemory}</p>;
    case "failed":
      return (
        <>
          <p className="fault">{PAID.failed(state.message)}</p>
          <button type="button" className="btn line" onClick={again}>
            {PAID.again}
          </button>
        </>
      );
    case "known":
      return (
        <>
          {hasReclaim(state.paid) ? (
            <Tables paid={state.paid} />
          ) : (
            <p className="else">{PAID.nothing}</p>
          )}
          <CpuTimeTable paid={state.paid} />
        </>
      );
  }
}

function Tables({ paid }: { paid: Paid }) {
  const [measure, setMeasure] = useState<MeasureName>("reclaimed");
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend to be seen */}
      <div className="seg" role="group" aria-label={PAID.measure}>
        {MEASURES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === measure}
            onClick={() => setMeasure(name)}
          >
            {MEASURE_WORDS[name].name}
          </button>
        ))}
      </div>
      <PaidFlow paid={paid} measure={measure} />
      <WorkTable paid={paid} />
      <TakenTable paid={paid} />
    </>
  );
}
