import { useMemo } from "react";
import { useWorkbenchState } from "../app/context";
import type { Session } from "../app/store";
import { timeTicks } from "../draw/series";
import { duration } from "../engine/format";
import type { Series } from "../engine/rows";
import type { View } from "../engine/types";
import { disturbancesOf } from "../experiment/disturbances";
import { AXIS_PX, LEFT_PX, RIGHT_PX, rowsIn, type Scale, STRIP_PX, scaleOf } from "./frame";
import type { NamedCounter, Shown } from "./hooks";
import { TaskLane, TrackLane, ZoneLane } from "./Lanes";
import { laneTasks } from "./lanes";
import { Marks, Range } from "./Marks";
import { Scrubber } from "./Scrubber";
import { Strip } from "./Strip";

/** The playhead's flag stands over times this near to it. */
const FLAG_PX = 24;

/** Everything of a run over time: tasks, zones, counters, and the whole of it below. */
export function Chart({
  session,
  view,
  whole,
  shown,
  tracks,
  width,
  height,
  now_ns,
  isThere,
  known_ns,
  isWhole,
}: {
  session: Session;
  view: View;
  whole: Series;
  shown: Shown;
  tracks: readonly NamedCounter[];
  width: number;
  height: number;
  now_ns: number;
  /** The machine stands at `now_ns`; while scrubbing it is still on its way. */
  isThere: boolean;
  known_ns: number;
  /** The run has been seen to its end. */
  isWhole: boolean;
}) {
  const length_ns = Math.max(session.info.length_ns, known_ns);
  const isZoomed = useWorkbenchState((state) => state.window !== null);
  const { series, from_ns, to_ns } = shown;
  const right = width - RIGHT_PX;
  const scale = useMemo(() => scaleOf(from_ns, to_ns, LEFT_PX, right), [from_ns, to_ns, right]);
  // Where all of the run is shown, a strip of the whole run would say nothing new.
  const hasStrip = isZoomed || (known_ns < length_ns * 0.98 && !isWhole);
  const lanes = useMemo(() => laneTasks(view.tasks, series), [view.tasks, series]);
  const [tasks, zones] = [lanes.shown.length, view.zones.length];
  const rows = useMemo(
    () => rowsIn(height, { tasks, zones, tracks: tracks.length }, hasStrip),
    [height, tasks, zones, tracks.length, hasStrip],
  );
  const disturbances = useMemo(() => disturbancesOf(session.experiment), [session.experiment]);
  const nowX = scale.within(now_ns);
  const none = { top: 0, bottom: 0 };
  return (
    <svg className="chart" aria-label="The run over time" width={width} height={rows.height}>
      <Hatch />
      <Ticks scale={scale} nowX={nowX} bottom={rows.end} />
      {lanes.shown.map((task, i) => (
        <TaskLane
          key={task.id}
          task={task}
          series={series}
          scale={scale}
          row={rows.tasks[i] ?? none}
          end_ns={Math.min(to_ns, known_ns)}
        />
      ))}
      {view.zones.map((zone, i) => (
        <ZoneLane
          key={zone.key}
          zone={zone}
          index={i}
          series={series}
          scale={scale}
          row={rows.zones[i] ?? none}
          now_ns={now_ns}
          isThere={isThere}
        />
      ))}
      {tracks.map(({ name }, i) => (
        <TrackLane
          key={name}
          name={name}
          index={i}
          value={view.counters.find(([other]) => other === name)?.[1] ?? 0}
          series={series}
          scale={scale}
          row={rows.tracks[i] ?? none}
        />
      ))}
      <rect
        x={nowX}
        y={AXIS_PX}
        width={Math.max(0, right - nowX)}
        height={rows.end - AXIS_PX}
        className="ahead"
      />
      <Range scale={scale} bottom={rows.end} />
      <Scrubber scale={scale} now_ns={now_ns} known_ns={known_ns} bottom={rows.end} />
      <Marks scale={scale} bottom={rows.end} disturbances={disturbances} />
      {lanes.more > 0 && (
        <text x={LEFT_PX + 4} y={AXIS_PX + 11} className="dim over">
          {lanes.more} more tasks have no lane here
        </text>
      )}
      {hasStrip && (
        <Strip
          y={rows.height - STRIP_PX - 6}
          right={right}
          now_ns={now_ns}
          known_ns={known_ns}
          length_ns={length_ns}
          window={isZoomed ? [from_ns, to_ns] : null}
          series={whole}
        />
      )}
    </svg>
  );
}

/** Times along the axis; the playhead's flag stands over one near to it. */
function Ticks({ scale, nowX, bottom }: { scale: Scale; nowX: number; bottom: number }) {
  const many = Math.max(2, Math.floor((scale.right - LEFT_PX) / 130));
  return timeTicks(scale.from_ns, scale.to_ns, many).map((tick) => (
    <g key={tick}>
      <line x1={scale.x(tick)} x2={scale.x(tick)} y1={AXIS_PX} y2={bottom} stroke="var(--rule-1)" />
      {Math.abs(scale.x(tick) - nowX) > FLAG_PX && (
        <text x={scale.x(tick)} y="11" textAnchor="middle" className="dim">
          {tick === 0 ? "0" : duration(tick)}
        </text>
      )}
    </g>
  ));
}

/** The hatching of throttled tasks. */
function Hatch() {
  return (
    <defs>
      <pattern id="throttled" width="5" height="5" patternUnits="userSpaceOnUse">
        <path d="M-1 6L6 -1M-1 1L1 -1M4 6L6 4" stroke="var(--ink-1)" strokeWidth="1" />
      </pattern>
    </defs>
  );
}
