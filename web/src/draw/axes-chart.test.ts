import { expect, test } from "vitest";
import { type ChartBox, curveOf, heatOf, spacedTicks } from "./axes-chart";

const BOX: ChartBox = { width: 220, height: 120, left: 10, right: 10, top: 10, bottom: 10 };
const point = (x: number | string, median: number | null, low = median, high = median) => ({
  x,
  median,
  low: low ?? 0,
  high: high ?? 0,
});

test("keeps the distances of numbers and spreads names evenly", () => {
  const at = (values: (number | string)[]) =>
    curveOf(
      values.map((value) => point(value, 1)),
      BOX,
    ).marks.map((mark) => mark?.x ?? 0);
  const [a = 0, b = 0, c = 0] = at([0, 10, 100]);
  expect((c - a) / (b - a)).toBeCloseTo(10);
  const [d = 0, e = 0, f = 0] = at(["3.0", "6.1", "x"]);
  expect(e - d).toBeCloseTo(f - e);
  const [g = 0, h = 0, i = 0] = at([1, 100, 10_000]);
  expect(h - g).toBeCloseTo(i - h);
});

test("draws higher values higher and includes medians in their ranges", () => {
  const { marks, yTicks } = curveOf([point(1, 10, 5, 20), point(2, 30, 30, 40)], BOX);
  const [first, second] = marks;
  if (!first || !second) throw new Error("both points have values");
  expect(second.y).toBeLessThan(first.y);
  expect(first.y_high).toBeLessThan(first.y);
  expect(first.y_low).toBeGreaterThan(first.y);
  expect(yTicks[0]).toEqual({ at: 110, value: 0 });
  expect(yTicks.at(-1)?.value).toBe(40);
});

test("interrupts the curve at a point without a value", () => {
  const { marks, path } = curveOf([point(1, 1), point(2, null), point(3, 1), point(4, 2)], BOX);
  expect(marks[1]).toBeNull();
  expect(path.match(/M/g)).toHaveLength(2);
});

test("drops ticks that are too close", () => {
  const ticks = [0, 5, 30, 50, 80].map((at) => ({ at, value: at }));
  expect(spacedTicks(ticks, 28).map(({ at }) => at)).toEqual([0, 30, 80]);
});

test("a heat map has its cells row by row, shaded between the lowest and the highest value", () => {
  const { cells, cell_width, cell_height, lowest, highest } = heatOf([1, 2, null, 5], 2, BOX);
  expect([cell_width, cell_height, lowest, highest]).toEqual([100, 50, 1, 5]);
  expect(cells).toEqual([
    { x: 10, y: 10, share: 0 },
    { x: 110, y: 10, share: 0.25 },
    { x: 10, y: 60, share: null },
    { x: 110, y: 60, share: 1 },
  ]);
  expect(heatOf([3, 3], 2, BOX).cells.map(({ share }) => share)).toEqual([0.5, 0.5]);
});
