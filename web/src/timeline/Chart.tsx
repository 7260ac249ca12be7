import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useRunViewState } from "../app/run-view-model";
import { timeTicks } from "../draw/series";
import { duration } from "../engine/format";
import type { Series } from "../engine/rows";
import type { Run, RunCounter, RunView } from "../engine/run";
import { disturbancesOf } from "../experiment/disturbances";
import { Icon } from "../ui/icons";
import { MomentTicks } from "./events";
import {
  AXIS_PX,
  type ChartRows,
  LEFT_PX,
  leastPx,
  RIGHT_PX,
  rowsIn,
  type Scale,
  STRIP_PX,
  scaleOf,
} from "./frame";
import type { ChartData } from "./hooks";
import { TaskLane, TrackLane, ZoneLane } from "./Lanes";
import {
  type Folding,
  foldedWords,
  foldLanes,
  laneTasks,
  tasksChanged,
  zonesChanged,
} from "./lanes";
import { Marks, Range } from "./Marks";
import { Scrubber } from "./Scrubber";
import { Strip } from "./Strip";
import { TIMELINE } from "./words";

/** The interventions of a run that no experiment creates. */
const NO_EXPERIMENT = "{}";
/** The extra height of the button in the last line, above its words. */
const MORE_BUTTON_PX = 20;
/** The flag of the playhead hides times on the axis that are this close to it. */
const FLAG_PX = 24;

/** The whole run over time: tasks, zones and counters, with a strip of the run below. */
export function Chart({
  session,
  view,
  whole,
  data,
  tracks,
  width,
  height,
  now_ns,
  isThere,
  known_ns,
  isWhole,
}: {
  session: Run;
  view: RunView;
  whole: Series;
  data: ChartData;
  tracks: readonly RunCounter[];
  width: number;
  height: number;
  now_ns: number;
  /** The machine is at `now_ns`; false while it moves there during scrubbing. */
  isThere: boolean;
  known_ns: number;
  /** Whether the run is known up to its end. */
  isWhole: boolean;
}) {
  const length_ns = Math.max(session.info.length_ns, known_ns);
  const isZoomed = useRunViewState((state) => state.window !== null);
  const { series, from_ns, to_ns } = data;
  const right = width - RIGHT_PX;
  const scale = useMemo(() => scaleOf(from_ns, to_ns, LEFT_PX, right), [from_ns, to_ns, right]);
  // If the chart shows the whole run, a strip of the run would add nothing.
  const hasStrip = isZoomed || (known_ns < length_ns * 0.98 && !isWhole);
  const [isAll, setAll] = useState(false);
  const room = { height, hasStrip, isAll, tracks: tracks.length };
  const { lanes, rows, folds } = useFolding(view, data, room);
  const disturbances = useMemo(
    () => disturbancesOf(session.experiment ?? NO_EXPERIMENT),
    [session.experiment],
  );
  const nowX = scale.within(now_ns);
  const box = useRef<HTMLDivElement>(null);
  useAddedInSight(box, tracks.length);
  return (
    <div className="chart-box" ref={box}>
      <svg className="chart" aria-label={TIMELINE.chart} width={width} height={rows.height}>
        <Hatch />
        <Ticks scale={scale} nowX={nowX} bottom={rows.end} />
        <AllLanes {...{ view, lanes, rows, tracks, series, scale, now_ns, isThere }} />
        <rect
          x={nowX}
          y={AXIS_PX}
          width={Math.max(0, right - nowX)}
          height={rows.end - AXIS_PX}
          className="ahead"
        />
        <Range scale={scale} bottom={rows.end} />
        <MomentTicks scale={scale} />
        <Scrubber scale={scale} now_ns={now_ns} known_ns={known_ns} bottom={rows.end} />
        <Marks scale={scale} bottom={rows.end} disturbances={disturbances} />
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
      {folds && <MoreLanes {...{ lanes, isAll, setAll }} bottom={rows.end} />}
    </div>
  );
}

/** Scrolls a newly chosen counter into view: in a low timeline it may be in the last lane. */
function useAddedInSight(box: RefObject<HTMLElement | null>, tracks: number): void {
  const before = useRef(tracks);
  useEffect(() => {
    const isMore = tracks > before.current;
    before.current = tracks;
    const scroller = box.current?.parentElement;
    if (isMore && scroller) scroller.scrollTop = scroller.scrollHeight;
  }, [box, tracks]);
}

/** The lanes of tasks, the curves of zones, the counters. */
function AllLanes({
  view,
  lanes,
  rows,
  tracks,
  series,
  scale,
  now_ns,
  isThere,
}: {
  view: RunView;
  lanes: Folding;
  rows: ChartRows;
  tracks: readonly RunCounter[];
  series: Series;
  scale: Scale;
  now_ns: number;
  isThere: boolean;
}) {
  const none = { top: 0, bottom: 0 };
  return (
    <>
      {lanes.tasks.map((task, i) => (
        <TaskLane
          key={task.id}
          task={task}
          series={series}
          scale={scale}
          row={rows.tasks[i] ?? none}
        />
      ))}
      {lanes.zones.map((index, i) => {
        const zone = view.zones[index];
        return (
          zone && (
            <ZoneLane
              key={zone.key}
              zone={zone}
              index={index}
              series={series}
              scale={scale}
              row={rows.zones[i] ?? none}
              now_ns={now_ns}
              isThere={isThere}
            />
          )
        );
      })}
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
    </>
  );
}

/** Shows the folded lanes, or folds them again. */
function MoreLanes({
  lanes,
  isAll,
  setAll,
  bottom,
}: {
  lanes: Folding;
  isAll: boolean;
  setAll: (isAll: boolean) => void;
  bottom: number;
}) {
  return (
    <button
      type="button"
      className="lanes-more"
      style={{ top: bottom - MORE_BUTTON_PX }}
      aria-expanded={isAll}
      onClick={() => setAll(!isAll)}
    >
      <Icon name="down" />
      {isAll ? TIMELINE.foldLanes : foldedWords(lanes)}
    </button>
  );
}

/** Which lanes fit, and where they are. */
function useFolding(
  view: RunView,
  { series, from_ns, to_ns }: ChartData,
  room: { height: number; hasStrip: boolean; isAll: boolean; tracks: number },
) {
  const { height, hasStrip, isAll, tracks } = room;
  const there = useMemo(() => laneTasks(view.tasks, series), [view.tasks, series]);
  const [tasks, zones] = useMemo(() => {
    const stretch = [from_ns, to_ns] as const;
    return [tasksChanged(there, series, stretch), zonesChanged(series, stretch)];
  }, [there, series, from_ns, to_ns]);
  const room_px = height - leastPx({ tasks: 0, zones: 0, tracks }, hasStrip);
  const lanes = useMemo(
    () => foldLanes(tasks, zones, { room_px, isAll }),
    [tasks, zones, room_px, isAll],
  );
  const all = leastPx({ tasks: tasks.length, zones: zones.length, tracks }, hasStrip);
  // The line that folds the lanes is in the same place as the line that showed them: last.
  const folds = lanes.folded > 0 || (isAll && all > height);
  const rows = useMemo(() => {
    const [tasks, zones] = [lanes.tasks.length, lanes.zones.length];
    return rowsIn(height, { tasks, zones, tracks, hasMore: folds }, hasStrip);
  }, [height, lanes, tracks, folds, hasStrip]);
  return { lanes, rows, folds };
}

/** Times along the axis, except those behind the flag of the playhead. */
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

const SLANTED = "M-1 6L6 -1M-1 1L1 -1M4 6L6 4";
/** A hatching for each reason why a task is throttled; waits for writes have the plain hatching. */
const HATCHES = {
  throttled: SLANTED,
  isolated: "M-1 -1L6 6M-1 4L1 6M4 -1L6 1",
  noprogress: `${SLANTED}M-1 -1L6 6M-1 4L1 6M4 -1L6 1`,
  congested: "M1.5 0V5M4 0V5",
} as const;

/** The hatchings of throttled tasks. */
function Hatch() {
  return (
    <defs>
      {Object.entries(HATCHES).map(([id, path]) => (
        <pattern key={id} id={id} width="5" height="5" patternUnits="userSpaceOnUse">
          <path d={path} stroke="var(--ink-1)" strokeWidth="1" />
        </pattern>
      ))}
    </defs>
  );
}
