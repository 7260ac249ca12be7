// A figure of a sweep: a curve over one axis, a heat map over two. The user reaches points by Tab
// and by arrow keys.

import { type KeyboardEvent, type RefObject, useRef } from "react";
import { type ChartBox, curveOf, heatOf, spacedTicks } from "../../draw/axes-chart";
import { useTheme } from "../../ui/theme";
import { axisWords, valueWords } from "./axes";
import type { PlannedAxis, Point } from "./data";
import * as words from "./words";

interface Charted {
  readonly points: readonly Point[];
  readonly axes: readonly [PlannedAxis, PlannedAxis | null];
  readonly figure: string;
  readonly width: number;
  readonly selected: number | null;
  readonly select: (point: number) => void;
  readonly drawing: RefObject<SVGSVGElement | null>;
}

const CURVE_HEIGHT = 300;
const CELL_HEIGHT = 40;
/** The width of a character, px, used to compute the width of labels. */
const CHARACTER = 6.6;
/** The minimum distance between the centres of two labels of the x axis, px. */
const GAP = 12;
/** Cells from this size show their number, px. */
const ROOM = { width: 44, height: 18 };

/** The chart. */
export function Chart(props: Charted) {
  return props.axes[1] ? <HeatMap {...props} /> : <CurveChart {...props} />;
}

const figureName = (figure: string) => words.FIGURE_NAMES[figure] ?? figure;

/** A point in words, with its value and range. */
export function pointWords(
  { x, y, of, runs, median }: Point,
  [axisX, axisY]: Charted["axes"],
): string {
  const at = [[axisX, x] as const, ...(axisY ? [[axisY, y] as const] : [])].map(
    ([axis, value]) => `${axisWords(axis.path)} ${valueWords(axis.path, value)}`,
  );
  if (median === null) return words.pointName(at.join(", "), words.notRun, "", words.runsOf(0, of));
  const [low, high] = [runs[0]?.value ?? median, runs.at(-1)?.value ?? median];
  const range =
    low === high ? "" : words.rangeWords(words.figureWords(low), words.figureWords(high));
  const done = words.runsOf(runs.length, of);
  return words.pointName(at.join(", "), words.figureWords(median), range, done);
}

/** Props of one point: selected by click and by key; arrow keys move by `steps`. */
function usePoints({ points, axes, selected, select }: Charted, columns: number) {
  const marks = useRef<(SVGGElement | null)[]>([]);
  const first = points.findIndex(({ median }) => median !== null);
  const move = (event: KeyboardEvent, from: number) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = from + step;
    if (to < 0 || to >= points.length) return;
    select(to);
    marks.current[to]?.focus();
  };
  return (point: Point, i: number) => ({
    ref: (mark: SVGGElement | null) => {
      marks.current[i] = mark;
    },
    role: "button",
    tabIndex: i === (selected ?? Math.max(0, first)) ? 0 : -1,
    "aria-label": pointWords(point, axes),
    "aria-pressed": i === selected,
    onClick: () => select(i),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        select(i);
      } else move(event, i);
    },
  });
}

function CurveChart(props: Charted) {
  const { points, axes, figure, width, selected, drawing } = props;
  const [axis] = axes;
  const propsOf = usePoints(props, 1);
  const labels = points.map(({ x }) => valueWords(axis.path, x));
  const box: ChartBox = { width, height: CURVE_HEIGHT, left: 52, right: 12, top: 28, bottom: 52 };
  const isNumeric = points.every(({ x }) => typeof x === "number");
  const { path, marks, xTicks, yTicks } = curveOf(
    points.map(({ x, runs, median }, i) => ({
      x: isNumeric ? Number(x) : (labels[i] ?? ""),
      median,
      low: runs[0]?.value ?? 0,
      high: runs.at(-1)?.value ?? 0,
    })),
    box,
  );
  const widest = Math.max(...labels.map(({ length }) => length)) * CHARACTER + GAP;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset
    <svg
      ref={drawing}
      className="sweep-chart"
      width={width}
      height={CURVE_HEIGHT}
      role="group"
      aria-label={words.chartName(figureName(figure), [axisWords(axis.path)])}
    >
      <text x={4} y={14} className="axis-title">
        {figureName(figure)}
      </text>
      {yTicks.map(({ at, value }) => (
        <g key={value}>
          <line className="rule" x1={box.left} x2={width - box.right} y1={at} y2={at} />
          <text x={box.left - 6} y={at + 4} textAnchor="end">
            {words.shortWords(value)}
          </text>
        </g>
      ))}
      {spacedTicks(xTicks, widest).map(({ at, value }) => (
        <text key={value} x={at} y={CURVE_HEIGHT - 24} textAnchor="middle">
          {cut(String(value))}
        </text>
      ))}
      <text x={width - box.right} y={CURVE_HEIGHT - 6} textAnchor="end" className="axis-title">
        {axisWords(axis.path)}
      </text>
      <path className="curve" d={path} />
      {points.map((point, i) => {
        const mark = marks[i];
        if (!mark) return null;
        const { x, y, y_low, y_high } = mark;
        return (
          <g key={labels[i]} className="point" {...propsOf(point, i)}>
            <rect
              className="target"
              x={x - 12}
              y={Math.min(y_high, y - 12)}
              width={24}
              height={Math.max(24, y_low - y_high)}
            />
            <line className="range" x1={x} x2={x} y1={y_low} y2={y_high} />
            <circle className="dot" cx={x} cy={y} r={i === selected ? 7 : 4.5} />
          </g>
        );
      })}
    </svg>
  );
}

function HeatMap(props: Charted) {
  const { points, axes, figure, width, selected, drawing } = props;
  const [axisX, axisY] = axes;
  const columns = axisX.values.length;
  const propsOf = usePoints(props, columns);
  const rows = axisY?.values ?? [];
  const rowNames = rows.map((value) => cut(valueWords(axisY?.path ?? "", value)));
  const left = Math.max(40, ...rowNames.map(({ length }) => length * CHARACTER + 14));
  const box = { left, right: 2, top: 48, bottom: 44, width };
  const height = box.top + box.bottom + rows.length * CELL_HEIGHT;
  const heat = heatOf(
    points.map(({ median }) => median),
    columns,
    { ...box, height },
  );
  const hasRoom = heat.cell_width >= ROOM.width && heat.cell_height >= ROOM.height;
  const columnTicks = axisX.values.map((value, i) => ({
    at: left + (i + 0.5) * heat.cell_width,
    value: cut(valueWords(axisX.path, value)),
  }));
  const widest = Math.max(...columnTicks.map(({ value }) => value.length)) * CHARACTER + GAP;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset
    <svg
      ref={drawing}
      className="sweep-chart"
      width={width}
      height={height}
      role="group"
      aria-label={words.chartName(figureName(figure), [
        axisWords(axisX.path),
        axisWords(axisY?.path ?? ""),
      ])}
    >
      <text x={4} y={14} className="axis-title">
        {figureName(figure)}
      </text>
      <text x={4} y={30} className="axis-title">
        {axisWords(axisY?.path ?? "")}
      </text>
      {spacedTicks(columnTicks, widest).map(({ at, value }) => (
        <text key={value} x={at} y={42} textAnchor="middle">
          {value}
        </text>
      ))}
      <text x={width - 2} y={14} textAnchor="end" className="axis-title">
        {axisWords(axisX.path)}
      </text>
      {rowNames.map((name, i) => (
        <text key={name} x={left - 8} y={box.top + (i + 0.5) * CELL_HEIGHT + 4} textAnchor="end">
          {name}
        </text>
      ))}
      {points.map((point, i) => {
        const cell = heat.cells[i];
        if (!cell) return null;
        const center = [cell.x + heat.cell_width / 2, cell.y + heat.cell_height / 2] as const;
        const shade = cell.share === null ? "none" : shadeOf(cell.share);
        return (
          <g
            key={`${valueWords(axisX.path, point.x)} ${valueWords(axisY?.path ?? "", point.y)}`}
            className="cell"
            data-shade={shade}
            data-selected={i === selected || undefined}
            {...propsOf(point, i)}
          >
            <rect
              x={cell.x + 1}
              y={cell.y + 1}
              width={Math.max(1, heat.cell_width - 2)}
              height={Math.max(1, heat.cell_height - 2)}
            />
            {hasRoom && (
              <text x={center[0]} y={center[1] + 4} textAnchor="middle">
                {point.median === null ? "–" : words.shortWords(point.median)}
              </text>
            )}
          </g>
        );
      })}
      {heat.highest > heat.lowest && (
        <Legend box={{ ...box, height }} lowest={heat.lowest} highest={heat.highest} />
      )}
    </svg>
  );
}

/** Shades of a heat map, from the lowest value to the highest. */
const SHADES = 7;
const shadeOf = (share: number) => String(Math.min(SHADES - 1, Math.floor(share * SHADES)));

function Legend({ box, lowest, highest }: { box: ChartBox; lowest: number; highest: number }) {
  const theme = useTheme();
  const y = box.height - 30;
  const low = words.shortWords(lowest);
  const from = box.left + low.length * CHARACTER + 8;
  return (
    <g className="legend">
      <text x={box.left} y={y + 11}>
        {low}
      </text>
      {Array.from({ length: SHADES }, (_, shade) => shade).map((shade) => (
        <g key={shade} className="cell" data-shade={String(shade)}>
          <rect x={from + shade * 18} y={y} width={17} height={14} />
        </g>
      ))}
      <text x={from + SHADES * 18 + 6} y={y + 11}>
        {words.shortWords(highest)}
      </text>
      <text x={box.left} y={y + 28} className="axis-title">
        {theme === "dark" ? words.LEGEND_DARK : words.LEGEND}
      </text>
    </g>
  );
}

const MOST_CHARACTERS = 16;
/** A label that fits beside others; its whole text is in the name of the point. */
const cut = (text: string) =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
