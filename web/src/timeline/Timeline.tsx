import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { clock, count, duration } from "../draw/format";
import {
  freePaths,
  readSeries,
  rowBefore,
  rowFree,
  rowTime,
  type Series,
  timeTicks,
} from "../draw/series";
import type { ZoneView } from "../engine/types";
import { useLowWindow } from "../ui/fit";
import { Icon } from "../ui/icons";
import { lightClass, useHoverProps, useLight } from "../ui/lit";
import { RollText } from "../ui/roll";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { momentOf, type Session } from "../workbench/store";

const LEFT_PX = 148;
const RIGHT_PX = 16;
const AXIS_PX = 18;
const STRIP_PX = 14;
const HEAD_PX = 28;
/** Lower lanes would write their numbers over each other; with many zones the timeline scrolls. */
const LEAST_LANE_PX = 15;
/** Height of a timeline folded to one line, and the room right of it for how much is known. */
const FOLDED_PX = 36;
const FOLDED_RIGHT_PX = 184;
const NO_ZONES: readonly ZoneView[] = [];

/** The run in virtual time: free pages of every zone against its low mark, and the playhead. */
export function Timeline({ session }: { session: Session }) {
  const isFolded = useFolded();
  const box = useRef<HTMLElement>(null);
  const { width, height } = useSize(box);
  const frame = session.frame;
  const zones = frame?.view.zones.length ?? 0;
  const series = useMemo(() => readSeries(session.timeline, zones), [session.timeline, zones]);
  const isThere = useWorkbenchState(({ scrub_ns, way }) => scrub_ns === null && way === null);
  const isOnWay = useWorkbenchState(({ scrub_ns, way }) => scrub_ns === null && way !== null);
  const now_ns = useWorkbenchState(momentOf);
  if (!frame) return <section ref={box} className="time" aria-label="Timeline" />;
  // On a long way the scale follows the rows, which come less often than the count.
  const reached_ns = isOnWay ? rowTime(series, series.length - 1) : now_ns;
  const known_ns = Math.max(frame.furthest.time_ns, reached_ns, 1);
  return (
    <section ref={box} className={isFolded ? "time folded" : "time"} aria-label="Timeline">
      <div className="hd">
        <FoldButton isFolded={isFolded} />
        {!isFolded && <Key />}
        <span className="sp" />
        <span>
          {frame.furthest.ended ? "whole run" : "seen so far"} <b>{duration(known_ns)}</b>
          {!frame.furthest.ended && <> of {duration(session.info.length_ns)}</>}
        </span>
      </div>
      {width > 0 && (
        <Chart
          zones={isFolded ? NO_ZONES : frame.view.zones}
          series={series}
          width={width}
          height={
            isFolded
              ? FOLDED_PX
              : Math.max(height - HEAD_PX, zones * LEAST_LANE_PX + AXIS_PX + STRIP_PX + 14)
          }
          now_ns={Math.min(now_ns, known_ns)}
          isThere={isThere}
          known_ns={known_ns}
          length_ns={session.info.length_ns}
          isWhole={frame.furthest.ended}
        />
      )}
    </section>
  );
}

/** Is the timeline one line: as chosen, else by how high the window is. */
export function useFolded(): boolean {
  const chosen = useWorkbenchState((state) => state.isFolded);
  const isLow = useLowWindow();
  return chosen ?? isLow;
}

/** What the lanes' marks mean. */
function Key() {
  return (
    <>
      <span>
        <svg width="24" height="12" aria-hidden="true">
          <rect y="4" width="24" height="8" fill="var(--free)" />
          <path d="M0 4h24" stroke="var(--ink-1)" />
        </svg>
        free pages
      </span>
      <span>
        <svg width="24" height="12" aria-hidden="true">
          <path d="M0 6h24" stroke="var(--ink-2)" strokeDasharray="5 2.5" />
        </svg>
        low mark
      </span>
    </>
  );
}

function FoldButton({ isFolded }: { isFolded: boolean }) {
  const workbench = useWorkbench();
  return (
    <h2 className="label">
      <button
        type="button"
        className="fold"
        aria-expanded={!isFolded}
        onClick={() => workbench.keep({ isFolded: !isFolded })}
      >
        <Icon name="down" />
        Timeline
      </button>
    </h2>
  );
}

function useSize(ref: React.RefObject<HTMLElement | null>) {
  const [measured, setMeasured] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const measure = () => setMeasured({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [ref]);
  return measured;
}

interface ChartProps {
  readonly zones: readonly ZoneView[];
  readonly series: Series;
  readonly width: number;
  readonly height: number;
  readonly now_ns: number;
  /** The machine stands at `now_ns`; while scrubbing it is still on its way. */
  readonly isThere: boolean;
  readonly known_ns: number;
  readonly length_ns: number;
  /** The run has been seen to its end. */
  readonly isWhole: boolean;
}

/** From time to place. */
const scale = (known_ns: number, right: number) => (time_ns: number) =>
  LEFT_PX + (time_ns / known_ns) * (right - LEFT_PX);

function Chart(props: ChartProps) {
  const { zones, series, width, height, now_ns, isThere, known_ns, length_ns, isWhole } = props;
  const isFolded = zones.length === 0;
  const right = width - (isFolded ? FOLDED_RIGHT_PX : RIGHT_PX);
  const x = scale(known_ns, right);
  // Where all of the run is known, a strip of the whole run would say nothing new.
  const hasStrip = known_ns < length_ns * 0.98 && !isWhole && !isFolded;
  const bottom = height - (hasStrip ? STRIP_PX + 14 : 8);
  const lane = Math.min(44, (bottom - AXIS_PX) / Math.max(1, zones.length));
  const end = isFolded ? height - 8 : AXIS_PX + lane * zones.length;
  const nowX = x(now_ns);
  const ticks = isFolded
    ? []
    : timeTicks(0, known_ns, Math.max(2, Math.floor((right - LEFT_PX) / 130)));
  return (
    <svg className="chart" aria-label="Free pages over time" width={width} height={height}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={x(tick)} x2={x(tick)} y1={AXIS_PX} y2={end} stroke="var(--rule-1)" />
          <text x={x(tick)} y="11" textAnchor="middle" className="dim">
            {tick === 0 ? "0" : duration(tick)}
          </text>
        </g>
      ))}
      {isFolded && <SumLane series={series} x={x} right={right} top={8} bottom={end} />}
      {zones.map((zone, i) => (
        <Lane
          key={zone.key}
          zone={zone}
          index={i}
          series={series}
          known_ns={known_ns}
          now_ns={now_ns}
          isThere={isThere}
          top={AXIS_PX + i * lane + 3}
          bottom={AXIS_PX + (i + 1) * lane - 1}
          right={right}
        />
      ))}
      <rect
        x={nowX}
        y={AXIS_PX}
        width={Math.max(0, right - nowX)}
        height={end - AXIS_PX}
        className="ahead"
      />
      <Scrubber
        x={x}
        now_ns={now_ns}
        known_ns={known_ns}
        left={LEFT_PX}
        right={right}
        bottom={end}
      />
      {hasStrip && (
        <Strip
          y={height - STRIP_PX - 6}
          right={right}
          now_ns={now_ns}
          known_ns={known_ns}
          length_ns={Math.max(length_ns, known_ns)}
          series={series}
        />
      )}
    </svg>
  );
}

function Lane({
  zone,
  index,
  series,
  known_ns,
  now_ns,
  isThere,
  top,
  bottom,
  right,
}: {
  zone: ZoneView;
  index: number;
  series: Series;
  known_ns: number;
  now_ns: number;
  isThere: boolean;
  top: number;
  bottom: number;
  right: number;
}) {
  const light = useLight(`zone ${zone.key}`);
  const hover = useHoverProps(`zone ${zone.key}`);
  const paths = useMemo(
    () => freePaths(series, index, zone.managed, scale(known_ns, right), [top, bottom]),
    [series, index, zone.managed, known_ns, right, top, bottom],
  );
  const low = paths.y(zone.low);
  const shown = isThere ? zone.free : rowFree(series, rowBefore(series, now_ns), index);
  const middle = (top + bottom) / 2;
  return (
    <g className={`lane${lightClass(light)}`} {...hover}>
      <text x="16" y={middle + 4}>
        {zone.key}
      </text>
      <RollText
        value={shown}
        x={LEFT_PX - 10}
        y={middle + 4}
        textAnchor="end"
        className="num strong"
      >
        {count(shown)}
      </RollText>
      <path d={paths.area} fill="var(--free)" />
      <path d={paths.line} fill="none" stroke="var(--ink-1)" />
      <line
        x1={LEFT_PX}
        x2={right}
        y1={low}
        y2={low}
        stroke="var(--ink-2)"
        strokeDasharray="5 2.5"
      />
      <line x1={LEFT_PX} x2={right} y1={bottom + 0.5} y2={bottom + 0.5} stroke="var(--rule-2)" />
    </g>
  );
}

/** The playhead, and the surface that drags it. */
function Scrubber({
  x,
  now_ns,
  known_ns,
  left,
  right,
  bottom,
}: {
  x: (time_ns: number) => number;
  now_ns: number;
  known_ns: number;
  left: number;
  right: number;
  bottom: number;
}) {
  const workbench = useWorkbench();
  const isDragging = useRef(false);
  const go = (time_ns: number) =>
    workbench.seek({ kind: "time", time_ns: Math.round(Math.min(known_ns, Math.max(0, time_ns))) });
  const follow = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    go(((event.clientX - box.left) / box.width) * known_ns);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowRight: now_ns + known_ns / (event.shiftKey ? 10 : 100),
      ArrowLeft: now_ns - known_ns / (event.shiftKey ? 10 : 100),
      PageUp: now_ns + known_ns / 10,
      PageDown: now_ns - known_ns / 10,
      Home: 0,
      End: known_ns,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  const at = x(now_ns);
  return (
    <>
      <g className="playhead">
        <line x1={at} x2={at} y1="4" y2={bottom} stroke="var(--ink-1)" strokeWidth="1.5" />
        <path d={`M${at - 5} 2h10v6l-5 5l-5 -5z`} fill="var(--ink-1)" />
      </g>
      <rect
        className="scrub"
        role="slider"
        tabIndex={0}
        aria-label="Playhead"
        aria-valuemin={0}
        aria-valuemax={known_ns}
        aria-valuenow={Math.round(now_ns)}
        aria-valuetext={`${clock(now_ns)} s`}
        x={left}
        y="0"
        width={Math.max(0, right - left)}
        height={bottom}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          isDragging.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
          follow(event);
        }}
        onPointerMove={(event) => isDragging.current && follow(event)}
        onPointerUp={() => {
          isDragging.current = false;
        }}
      />
    </>
  );
}

/** Free pages of all zones together, as points of a line between `top` and `bottom`. */
function sumPoints(
  series: Series,
  x: (time_ns: number) => number,
  top: number,
  bottom: number,
): string[] {
  const sums = Array.from({ length: series.length }, (_, row) =>
    Array.from({ length: series.zones }, (__, zone) => rowFree(series, row, zone)).reduce(
      (a, b) => a + b,
      0,
    ),
  );
  const most = Math.max(1, ...sums);
  return sums.map((sum, row) => {
    const y = bottom - (sum / most) * (bottom - top);
    return `${x(rowTime(series, row)).toFixed(1)} ${y.toFixed(1)}`;
  });
}

/** The one lane of a folded timeline: free pages of the whole machine. */
function SumLane({
  series,
  x,
  right,
  top,
  bottom,
}: {
  series: Series;
  x: (time_ns: number) => number;
  right: number;
  top: number;
  bottom: number;
}) {
  const points = sumPoints(series, x, top, bottom);
  return (
    <g>
      <rect
        x={LEFT_PX}
        y={top}
        width={Math.max(0, right - LEFT_PX)}
        height={bottom - top}
        className="strip-bed"
      />
      {points.length > 1 && (
        <path d={`M${LEFT_PX} ${bottom}L${points.join("L")}V${bottom}z`} fill="var(--free)" />
      )}
    </g>
  );
}

/** The whole length of the run: what is known of it, and the playhead. */
function Strip({
  y,
  right,
  now_ns,
  known_ns,
  length_ns,
  series,
}: {
  y: number;
  right: number;
  now_ns: number;
  known_ns: number;
  length_ns: number;
  series: Series;
}) {
  const place = (time_ns: number) => LEFT_PX + (time_ns / length_ns) * (right - LEFT_PX);
  const points = sumPoints(series, place, y, y + STRIP_PX);
  return (
    <g className="strip">
      <text x="16" y={y + 11}>
        Whole run, {duration(length_ns)}
      </text>
      <rect x={LEFT_PX} y={y} width={right - LEFT_PX} height={STRIP_PX} className="strip-bed" />
      {points.length > 1 && (
        <path
          d={`M${LEFT_PX} ${y + STRIP_PX}L${points.join("L")}L${place(known_ns)} ${y + STRIP_PX}z`}
          fill="var(--free)"
        />
      )}
      <rect
        x={place(now_ns) - 2}
        y={y - 2.5}
        width="4"
        height={STRIP_PX + 5}
        fill="var(--ground)"
        stroke="var(--ink-1)"
        strokeWidth="1.5"
      />
    </g>
  );
}
