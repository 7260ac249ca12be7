// Draws a figure over one axis as a curve with ranges, and over two axes as a heat map. Values come
// from several runs: a median and a range.

import { extent, max } from "d3-array";
import { scaleLinear, scaleLog, scalePoint } from "d3-scale";
import { line } from "d3-shape";

/** A point to draw. `x` is a number on a numeric axis, otherwise a name. */
export interface ChartPoint {
  readonly x: number | string;
  readonly median: number | null;
  readonly low: number;
  readonly high: number;
}

/** A box in px: width, height, and margins for the axes. */
export interface ChartBox {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A tick of an axis. */
interface Tick<T> {
  readonly at: number;
  readonly value: T;
}

/** A drawn point; null if it has no value. */
interface CurveMark {
  readonly x: number;
  readonly y: number;
  readonly y_low: number;
  readonly y_high: number;
}

/** A curve. */
export interface Curve {
  readonly path: string;
  readonly marks: readonly (CurveMark | null)[];
  readonly xTicks: readonly Tick<number | string>[];
  readonly yTicks: readonly Tick<number>[];
}

/** Values that span more than this ratio are drawn on a logarithmic axis. */
const LOG_RATIO = 200;
const Y_TICKS = 5;

/**
 * The position of each value of the x axis. Numbers are placed proportionally, names are spread
 * evenly.
 */
function horizontal(values: readonly (number | string)[], { width, left, right }: ChartBox) {
  const span: [number, number] = [left, width - right];
  const numbers = values.filter((value) => typeof value === "number");
  const [from, to] = extent(numbers);
  if (numbers.length < values.length || from === undefined || to === undefined || from === to) {
    const scale = scalePoint<number | string>(values, span).padding(0.5);
    return (value: number | string) => scale(value) ?? left;
  }
  const isLog = from > 0 && to / from > LOG_RATIO;
  const pad = (span[1] - span[0]) / (2 * values.length);
  const inner: [number, number] = [span[0] + pad, span[1] - pad];
  const scale = isLog ? scaleLog([from, to], inner) : scaleLinear([from, to], inner);
  return (value: number | string) => scale(Number(value));
}

/** The curve of some points, in the order of their axis. Its vertical axis starts at 0. */
export function curveOf(points: readonly ChartPoint[], box: ChartBox): Curve {
  const highest = max(points, ({ median, high }) => (median === null ? 0 : high)) ?? 0;
  const lowest = Math.min(0, ...points.map(({ median, low }) => (median === null ? 0 : low)));
  const y = scaleLinear(
    [lowest, highest > lowest ? highest : lowest + 1],
    [box.height - box.bottom, box.top],
  ).nice(Y_TICKS);
  const x = horizontal(
    points.map((point) => point.x),
    box,
  );
  const marks = points.map(({ x: value, median, low, high }): CurveMark | null =>
    median === null ? null : { x: x(value), y: y(median), y_low: y(low), y_high: y(high) },
  );
  const path = line<CurveMark | null>(
    (mark) => mark?.x ?? 0,
    (mark) => mark?.y ?? 0,
  )
    .defined((mark) => mark !== null)
    .digits(1);
  const drawn = marks.toSorted((a, b) => (a?.x ?? 0) - (b?.x ?? 0));
  return {
    path: path(marks.includes(null) ? marks : drawn) ?? "",
    marks,
    xTicks: points.map((point) => ({ at: x(point.x), value: point.x })),
    yTicks: y.ticks(Y_TICKS).map((value) => ({ at: y(value), value })),
  };
}

/** Ticks of an axis that are far enough apart to be readable; the first tick is always included. */
export function spacedTicks<T>(ticks: readonly Tick<T>[], gap: number): readonly Tick<T>[] {
  const kept: Tick<T>[] = [];
  for (const tick of ticks.toSorted((a, b) => a.at - b.at)) {
    const last = kept.at(-1);
    if (!last || tick.at - last.at >= gap) kept.push(tick);
  }
  return kept;
}

/** A cell of a heat map. */
interface HeatCell {
  readonly x: number;
  readonly y: number;
  /** The cell's value, scaled from 0 (lowest) to 1 (highest); null without a value. */
  readonly share: number | null;
}

/** A heat map: cells row by row. */
export interface Heat {
  readonly cells: readonly HeatCell[];
  readonly cell_width: number;
  readonly cell_height: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The cells of some values, row after row. */
export function heatOf(values: readonly (number | null)[], columns: number, box: ChartBox): Heat {
  const rows = Math.max(1, Math.ceil(values.length / columns));
  const cell_width = (box.width - box.left - box.right) / columns;
  const cell_height = (box.height - box.top - box.bottom) / rows;
  const [lowest = 0, highest = 0] = extent(values.filter((value) => value !== null));
  const share = scaleLinear([lowest, highest], [0, 1]);
  return {
    cells: values.map((value, i) => ({
      x: box.left + (i % columns) * cell_width,
      y: box.top + Math.floor(i / columns) * cell_height,
      share: value === null ? null : highest > lowest ? share(value) : 0.5,
    })),
    cell_width,
    cell_height,
    lowest,
    highest,
  };
}
