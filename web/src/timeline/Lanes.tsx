import { useMemo } from "react";
import { useRunViewModel } from "../app/run-view-model";
import { freePaths, growth, rowAt } from "../draw/series";
import { count } from "../engine/format";
import { rowFree, type Series } from "../engine/rows";
import type { RunTask, RunZone } from "../engine/run";
import { lightClass, useHoverProps, useLight } from "../ui/lit";
import { RollText } from "../ui/roll";
import { type ChartRow, LEFT_PX, type Scale } from "./frame";
import { lanePaths, shortPath, waitWords } from "./lanes";
import { DOING_WORDS, MARKS, SHORT_WORDS, WAIT_WORDS } from "./words";

/** The activities of one task: running is a bar, reclaim has full height, short reclaim is a
 * strip at the top, throttled is hatched, with the reason if there is room, and I/O is dotted. */
export function TaskLane({
  task,
  series,
  scale,
  row,
}: {
  task: RunTask;
  series: Series;
  scale: Scale;
  row: ChartRow;
}) {
  const model = useRunViewModel();
  const key = `task ${task.id}` as const;
  // A selected function highlights the lanes of the tasks that are in it.
  const light = useLight(key, task.function === "" ? key : `fn ${task.function}`);
  const hover = useHoverProps(key);
  const paths = useMemo(
    () => lanePaths(series, task.id, scale, row),
    [series, task.id, scale, row],
  );
  const short = useMemo(
    () => shortPath(series, task.id, scale, row),
    [series, task.id, scale, row],
  );
  const words = useMemo(() => waitWords(series, task.id, scale), [series, task.id, scale]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the task's token on the stage is the button
    <g className={`lane task${lightClass(light)}`} {...hover} onClick={() => model.select(key)}>
      <rect x="0" y={row.top} width={LEFT_PX} height={row.bottom - row.top} fill="transparent" />
      <text x="16" y={row.bottom - 3}>
        {task.name}
      </text>
      {[...paths].map(([doing, path]) => (
        <path key={doing} d={path} className={`did-${doing}`}>
          <title>{DOING_WORDS[doing]}</title>
        </path>
      ))}
      {short !== "" && (
        <path d={short} className="did-short">
          <title>{SHORT_WORDS}</title>
        </path>
      )}
      {words.map(({ doing, x }) => (
        <text key={x} x={x} y={row.bottom - 3} textAnchor="middle" className="wait-word">
          {WAIT_WORDS[doing]}
        </text>
      ))}
    </g>
  );
}

/**
 * The maximum number of characters that a zone's name and its number have on one line, and the
 * height of a line.
 */
const [MOST_LABEL, LABEL_PX] = [17, 15];

/** A zone's free pages and its low watermark. */
export function ZoneLane({
  zone,
  index,
  series,
  scale,
  row: { top, bottom },
  now_ns,
  isThere,
}: {
  zone: RunZone;
  index: number;
  series: Series;
  scale: Scale;
  row: ChartRow;
  now_ns: number;
  /** The machine is at `now_ns`; false while it moves there during scrubbing. */
  isThere: boolean;
}) {
  const light = useLight(`zone ${zone.key}`);
  const hover = useHoverProps(`zone ${zone.key}`);
  const paths = useMemo(
    () => freePaths(series, index, zone.managed, scale.within, [top + 3, bottom - 1]),
    [series, index, zone.managed, scale, top, bottom],
  );
  const low = paths.y(zone.low);
  const free = isThere ? zone.free : rowFree(series, rowAt(series, now_ns), index);
  const middle = (top + bottom) / 2 + 5;
  // The largest number sets the width, so that the labels do not move while the number changes.
  const isLong = zone.key.length + count(zone.managed).length > MOST_LABEL;
  const apart = isLong && bottom - top >= 2 * LABEL_PX ? LABEL_PX / 2 : 0;
  const name = isLong && apart === 0 ? "lane-long" : undefined;
  return (
    <g className={`lane${lightClass(light)}`} {...hover}>
      <text x="16" y={middle - apart} className={name}>
        {zone.key}
      </text>
      <RollText
        value={free}
        x={LEFT_PX - 10}
        y={middle + apart}
        textAnchor="end"
        className="num strong"
      >
        {count(free)}
      </RollText>
      <path d={paths.area} fill="var(--free)" />
      <path d={paths.line} fill="none" stroke="var(--ink-1)" />
      <line
        x1={scale.left}
        x2={scale.right}
        y1={low}
        y2={low}
        stroke="var(--ink-2)"
        strokeDasharray="5 2.5"
      />
      <line
        x1={scale.left}
        x2={scale.right}
        y1={bottom - 0.5}
        y2={bottom - 0.5}
        stroke="var(--rule-2)"
      />
    </g>
  );
}

/** A counter's value, as a link to the step that last changed it. */
function CounterLink({ name, words, y }: { name: string; words: string; y: number }) {
  const { stops } = useRunViewModel();
  const value = (
    <text x="16" y={y} className="num dim">
      {words}
    </text>
  );
  if (!stops) return value;
  const go = () => stops.lastChange({ kind: "counter", name });
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
    <g
      role="button"
      tabIndex={0}
      className="counter-link"
      aria-label={MARKS.lastChange(name, words)}
      onClick={go}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      }}
    >
      <rect x="12" y={y - 13} width="120" height="16" fill="transparent" />
      {value}
    </g>
  );
}

/** Wider bars look like a single bar, narrower ones are a blur. */
const BAR_PX = 4;

/** The growth of a counter over time: a bar's height is its growth divided by its time. */
export function TrackLane({
  name,
  index,
  value,
  series,
  scale,
  row: { top, bottom },
}: {
  name: string;
  /** Index among the counters of each row. */
  index: number;
  /** The present value. */
  value: number;
  series: Series;
  scale: Scale;
  row: ChartRow;
}) {
  const path = useMemo(() => {
    if (index >= series.counters) return "";
    const bars = growth(series, index, (scale.right - scale.left) / BAR_PX);
    const rate = (bar: (typeof bars)[number]) => bar.by / Math.max(1, bar.to_ns - bar.from_ns);
    const most = Math.max(...bars.map(rate), Number.MIN_VALUE);
    return bars
      .map((bar) => {
        const high = (rate(bar) / most) * (bottom - top - 6);
        const [from, to] = [scale.within(bar.from_ns), scale.within(bar.to_ns)];
        if (to <= from) return "";
        const wide = Math.max(0.8, to - from - 0.5);
        return `M${from.toFixed(1)} ${bottom - 2}v-${high.toFixed(1)}h${wide.toFixed(1)}V${bottom - 2}z`;
      })
      .join("");
  }, [series, index, scale, top, bottom]);
  return (
    <g className="lane track">
      <text x="16" y={top + 13}>
        {name}
      </text>
      <CounterLink name={name} words={count(value)} y={top + 26} />
      <path d={path} />
      <line
        x1={scale.left}
        x2={scale.right}
        y1={bottom - 1.5}
        y2={bottom - 1.5}
        stroke="var(--rule-2)"
      />
    </g>
  );
}
