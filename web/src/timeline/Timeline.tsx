import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { isTimeLine, momentOf } from "../app/store";
import { duration } from "../engine/format";
import { readSeries, rowTime, type Series } from "../engine/rows";
import type { Run } from "../engine/run";
import { Icon } from "../ui/icons";
import { useLaidOut } from "../ui/laid-out";
import { Chart } from "./Chart";
import { Folded } from "./Folded";
import { HEAD_PX } from "./frame";
import { useChartData, useTracks } from "./hooks";
import { TIMELINE } from "./words";
import "./time.css";

const Tools = lazy(() => import("./Tools").then(({ Tools: T }) => ({ default: T })));

/** The run in virtual time: the activities of tasks, free pages of zones, counters, the
 * playhead. */
export function Timeline({ session }: { session: Run }) {
  const isFolded = useFolded();
  const box = useRef<HTMLElement>(null);
  const { width, height } = useSize(box);
  const frame = session.frame;
  const zones = frame?.view.zones.length ?? 0;
  const series = useMemo(() => readSeries(session.timeline, zones), [session.timeline, zones]);
  const isThere = useRunViewState(({ scrub_ns, longRun }) => scrub_ns === null && longRun === null);
  const isLongRun = useRunViewState(
    ({ scrub_ns, longRun }) => scrub_ns === null && longRun !== null,
  );
  const now_ns = useRunViewState(momentOf);
  // During a long run the scale follows the rows, which arrive less often than the progress.
  const reached_ns = isLongRun ? rowTime(series, series.length - 1) : now_ns;
  // Until the first frame of a run the tools stay, because one of them may have the focus.
  const known_ns = frame ? Math.max(frame.furthest.time_ns, reached_ns, 1) : session.info.length_ns;
  const data = { session, series, width, known_ns, now_ns: Math.min(now_ns, known_ns), isThere };
  return (
    <section ref={box} className={isFolded ? "time folded" : "time"} aria-label={TIMELINE.title}>
      <div className="hd">
        <FoldButton isFolded={isFolded} />
        {!isFolded && (
          <Suspense>
            <Tools session={session} series={series} known_ns={known_ns} />
          </Suspense>
        )}
        <span className="sp" />
        {frame && (
          <span>
            {!isFolded && (frame.furthest.ended ? TIMELINE.wholeRun : TIMELINE.seenSoFar)}{" "}
            <b>{duration(known_ns)}</b>
            {!isFolded && !frame.furthest.ended && TIMELINE.ofLength(session.info.length_ns)}
          </span>
        )}
      </div>
      {frame &&
        width > 0 &&
        (isFolded ? <Folded {...data} /> : <Open {...data} height={height - HEAD_PX} />)}
    </section>
  );
}

/** The props of both forms of the chart. */
export interface ChartProps {
  readonly session: Run;
  readonly series: Series;
  readonly width: number;
  readonly known_ns: number;
  readonly now_ns: number;
  /** The machine is at `now_ns`; false while it moves there during scrubbing. */
  readonly isThere: boolean;
}

function Open({ session, series, known_ns, ...rest }: ChartProps & { height: number }) {
  const tracks = useTracks();
  const data = useChartData(session, series, known_ns, tracks);
  if (!session.frame) return null;
  return (
    <Chart
      session={session}
      view={session.frame.view}
      whole={series}
      data={data}
      tracks={tracks}
      known_ns={known_ns}
      isWhole={session.frame.furthest.ended}
      {...rest}
    />
  );
}

/** Whether the timeline is one line. */
export const useFolded = (): boolean => useRunViewState(isTimeLine);

function FoldButton({ isFolded }: { isFolded: boolean }) {
  const model = useRunViewModel();
  return (
    <h2 className="label">
      <button
        type="button"
        className="fold"
        aria-expanded={!isFolded}
        onClick={() => model.keep({ isFolded: !isFolded })}
      >
        <Icon name="down" />
        {TIMELINE.title}
      </button>
    </h2>
  );
}

function useSize(ref: React.RefObject<HTMLElement | null>) {
  const [measured, setMeasured] = useState({ width: 0, height: 0 });
  useLaidOut(ref, ({ clientWidth, clientHeight }) => {
    // In a separate task, after the chart's container has its size.
    setTimeout(() => setMeasured({ width: clientWidth, height: clientHeight }));
  });
  return measured;
}
