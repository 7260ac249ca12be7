// Both runs over time: one line that forks at the first divergence, and the values of both runs.

import { scaleLinear } from "d3-scale";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { usePair, usePairState } from "../../app/pair/context";
import { momentOf, type Session } from "../../app/store";
import { largest, MOST_MARKS, type PairMark, type RowValue, valuePath } from "../../draw/pair";
import { timeTicks } from "../../draw/series";
import { count } from "../../engine/format";
import { useLaidOut } from "../../ui/laid-out";
import type { BothSeries } from "./series";
import { TIME } from "./words";

/** The drawing's layout, px. */
const LEFT_PX = 148;
const RIGHT_PX = 72;
const AXIS_PX = 28;
const RUNS_PX = 34;
const LANE_PX = 44;
const TICK_PX = 120;
/** How far the two branches are from the middle of their row. */
const BRANCH_PX = 8;
/** Share of the run that an arrow key moves. */
const KEY_SHARE = 0.01;

interface TimelineProps {
  readonly sessions: readonly [Session, Session];
  readonly series: BothSeries;
  readonly marks: readonly PairMark[];
  /** Names of the counters that are drawn. */
  readonly drawn: readonly string[];
}

/** The timeline of both machines. */
export function PairTimeline({ sessions, series, marks, drawn }: TimelineProps) {
  const pair = usePair();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLaidOut(box, ({ clientWidth }) => setWidth(clientWidth));
  const lead = usePairState((state) => state.lead);
  const now_ns = useStore(pair[lead].store, momentOf);
  const known_ns = Math.max(1, ...sessions.map(({ frame }) => frame?.furthest.time_ns ?? 0));
  const x = useMemo(
    () =>
      scaleLinear([0, known_ns], [LEFT_PX, Math.max(LEFT_PX + 1, width - RIGHT_PX)]).clamp(true),
    [known_ns, width],
  );
  const lanes = useMemo(() => lanesOf(series, drawn), [series, drawn]);
  const height = AXIS_PX + RUNS_PX + lanes.length * LANE_PX;
  const goTo = (time_ns: number) =>
    pair.seek({ kind: "time", time_ns: Math.round(Math.max(0, Math.min(known_ns, time_ns))) });
  return (
    <section className="compare-time" aria-labelledby="compare-time-title">
      <h2 id="compare-time-title">{TIME.title}</h2>
      <div ref={box} className="compare-chart">
        {width > 0 && (
          <>
            <svg width={width} height={height} aria-hidden="true">
              <Axis x={x} known_ns={known_ns} height={height} width={width} />
              <Runs x={x} marks={marks} known_ns={known_ns} />
              {lanes.map((lane, i) => (
                <Lane
                  key={lane.name}
                  lane={lane}
                  series={series}
                  x={x}
                  top={AXIS_PX + RUNS_PX + i * LANE_PX}
                  now_px={x(now_ns)}
                  width={width}
                />
              ))}
              <path className="compare-now" d={`M${x(now_ns)} ${AXIS_PX - 4}V${height}`} />
              <path
                className="compare-flag"
                d={`M${x(now_ns) - 5} ${AXIS_PX - 11}h10v5l-5 5-5-5z`}
              />
            </svg>
            <Playhead {...{ now_ns, known_ns, goTo, height, width }} />
          </>
        )}
      </div>
      <Marks marks={marks} goTo={goTo} />
    </section>
  );
}

interface LaneOf {
  readonly name: string;
  readonly about: string;
  readonly value: RowValue;
}

const lanesOf = ({ counters }: BothSeries, drawn: readonly string[]): LaneOf[] => [
  { name: TIME.free, about: TIME.freeAbout, value: { kind: "free" } },
  ...drawn.flatMap((name): LaneOf[] => {
    const at = counters.indexOf(name);
    return at < 0 ? [] : [{ name, about: "", value: { kind: "counter", at } }];
  }),
];

type X = (time_ns: number) => number;

function Axis({
  x,
  known_ns,
  height,
  width,
}: {
  x: X;
  known_ns: number;
  height: number;
  width: number;
}) {
  const ticks = timeTicks(0, known_ns, Math.max(2, (width - LEFT_PX - RIGHT_PX) / TICK_PX));
  return ticks.map((at) => (
    <g key={at} className="compare-tick">
      <path d={`M${x(at)} ${AXIS_PX}V${height}`} />
      <text x={x(at)} y={12} textAnchor="middle">
        {at === 0 ? "0 s" : Number((at / 1e9).toPrecision(6))}
      </text>
    </g>
  ));
}

/** One line up to the fork, then a branch for each run. */
function Runs({ x, marks, known_ns }: { x: X; marks: readonly PairMark[]; known_ns: number }) {
  const divergence = usePairState((state) => state.divergence);
  const middle = AXIS_PX + RUNS_PX / 2;
  const fork_ns =
    divergence.kind === "found" ? divergence.time_ns : divergence.kind === "none" ? known_ns : null;
  const end = x(known_ns);
  const fork = fork_ns === null ? LEFT_PX : x(fork_ns);
  const branch = (to: number) =>
    `M${fork} ${middle}C${fork + 8} ${middle} ${fork + 4} ${to} ${fork + 14} ${to}H${Math.max(fork + 14, end)}`;
  return (
    <g>
      <text className="compare-label" x={12} y={middle + 4}>
        {TIME.runs}
      </text>
      {fork_ns !== null && <path className="compare-trunk" d={`M${LEFT_PX} ${middle}H${fork}`} />}
      {fork_ns !== known_ns && (
        <>
          <path className="compare-line-a" d={branch(middle - BRANCH_PX)} />
          <path className="compare-line-b" d={branch(middle + BRANCH_PX)} />
          <text className="compare-end" x={end + 22} y={middle - BRANCH_PX + 4}>
            A
          </text>
          <text className="compare-end" x={end + 22} y={middle + BRANCH_PX + 4}>
            B
          </text>
        </>
      )}
      {divergence.kind === "found" && (
        <circle className="compare-forked" cx={fork} cy={middle} r={5} />
      )}
      {marks.map(({ kind, time_ns }) => (
        <path
          key={`${kind} ${time_ns}`}
          className={`compare-mark compare-${kind}`}
          d={
            kind === "meets"
              ? `M${x(time_ns) - 4} ${middle}h8`
              : `M${x(time_ns) - 4} ${middle - 4}l4 4-4 4`
          }
        />
      ))}
    </g>
  );
}

function Lane({
  lane,
  series,
  x,
  top,
  now_px,
  width,
}: {
  lane: LaneOf;
  series: BothSeries;
  x: X;
  top: number;
  now_px: number;
  width: number;
}) {
  const { value } = lane;
  const { a, b } = series;
  const paths = useMemo(() => {
    const most = Math.max(1, largest(a, value), largest(b, value));
    const y = scaleLinear([0, most], [top + LANE_PX - 6, top + 6]);
    return { a: valuePath(a, value, x, y), b: valuePath(b, value, x, y), most };
  }, [a, b, value, x, top]);
  const both = (
    <>
      <path className="compare-line-a" d={paths.a} />
      <path className="compare-line-b" d={paths.b} />
    </>
  );
  const clip = `compare-seen-${top}`;
  return (
    <g>
      <text className="compare-label" x={12} y={top + 20}>
        {lane.name}
      </text>
      <text className="compare-about" x={12} y={top + 34}>
        {lane.about}
      </text>
      <clipPath id={clip}>
        <rect x={0} y={top} width={Math.max(0, now_px)} height={LANE_PX} />
      </clipPath>
      {/* The part after the playhead is pale, because it is known but was not shown yet. */}
      <g className="compare-ahead">{both}</g>
      <g clipPath={`url(#${clip})`}>{both}</g>
      <text className="compare-about" x={width - RIGHT_PX + 8} y={top + 14}>
        {count(paths.most)}
      </text>
    </g>
  );
}

/** The playhead of both machines, for the pointer and the keyboard. */
function Playhead({
  now_ns,
  known_ns,
  goTo,
  height,
  width,
}: {
  now_ns: number;
  known_ns: number;
  goTo: (time_ns: number) => void;
  height: number;
  width: number;
}) {
  const at = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    goTo(((clientX - left) / Math.max(1, wide)) * known_ns);
  };
  const press = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowLeft: now_ns - known_ns * KEY_SHARE,
      ArrowRight: now_ns + known_ns * KEY_SHARE,
      PageDown: now_ns - known_ns * KEY_SHARE * 10,
      PageUp: now_ns + known_ns * KEY_SHARE * 10,
      Home: 0,
      End: known_ns,
    };
    const time_ns = to[event.key];
    if (time_ns === undefined) return;
    event.preventDefault();
    goTo(time_ns);
  };
  return (
    <div
      className="compare-playhead"
      role="slider"
      tabIndex={0}
      aria-label={TIME.playhead}
      aria-valuemin={0}
      aria-valuemax={Math.round(known_ns)}
      aria-valuenow={Math.round(Math.min(now_ns, known_ns))}
      aria-valuetext={TIME.value(now_ns)}
      style={{ left: LEFT_PX, width: Math.max(1, width - LEFT_PX - RIGHT_PX), height }}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        at(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && at(event)}
    />
  );
}

/** The marks as buttons. */
function Marks({ marks, goTo }: { marks: readonly PairMark[]; goTo: (time_ns: number) => void }) {
  const divergence = usePairState((state) => state.divergence);
  const pair = usePair();
  if (divergence.kind !== "found") return null;
  return (
    <details className="compare-moments">
      <summary>{TIME.moments(marks.length, marks.length < MOST_MARKS)}</summary>
      <p className="dim">{TIME.about}</p>
      <ul className="compare-marks" aria-label={TIME.marks}>
        <li>
          <button type="button" className="btn line" onClick={() => pair.openDivergence()}>
            {TIME.fork(divergence.time_ns)}
          </button>
        </li>
        {marks.map(({ kind, time_ns }) => (
          <li key={`${kind} ${time_ns}`}>
            <button type="button" className="btn line" onClick={() => goTo(time_ns)}>
              {TIME[kind](time_ns)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
