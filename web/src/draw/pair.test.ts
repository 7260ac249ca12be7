import { expect, test } from "vitest";
import { packedRow, readSeries, type Series } from "../engine/rows";
import { pairMarks, valueAt } from "./pair";

const ASLEEP = 1;

/** Rows of two zones, one counter and one task. */
const seriesOf = (
  rows: readonly (readonly [time_ns: number, free: readonly number[], counter: number])[],
): Series =>
  readSeries(
    Float64Array.from(
      rows.flatMap(([time_ns, free, counter], step) => [
        ...packedRow({
          step,
          time_ns,
          free,
          counters: [counter],
          doing: [ASLEEP],
          reclaimed: [false],
        }),
      ]),
    ),
    2,
  );

const A = seriesOf([
  [0, [9, 9], 0],
  [10, [8, 9], 1],
  [20, [7, 9], 2],
  [30, [6, 9], 2],
]);
const B = seriesOf([
  [0, [9, 9], 0],
  [12, [8, 9], 1],
  [20, [7, 9], 2],
  [30, [6, 8], 2],
]);

test("two runs meet where all values are equal again and diverge where one differs", () => {
  expect(pairMarks(A, B, 5, 1)).toEqual([
    { kind: "meets", time_ns: 12 },
    { kind: "diverges", time_ns: 30 },
  ]);
});

test("a run compared with itself has no marks except the one after the fork", () => {
  expect(pairMarks(A, A, -1, 1)).toEqual([{ kind: "meets", time_ns: 0 }]);
});

test("runs with other zones cannot be compared", () => {
  expect(pairMarks(A, { ...B, zones: 1 }, 0, 1)).toEqual([]);
});

test("adds up the free pages of all zones", () => {
  expect(valueAt(B, 3, { kind: "free" })).toBe(14);
  expect(valueAt(B, 3, { kind: "counter", at: 0 })).toBe(2);
});
