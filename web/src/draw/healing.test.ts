import { expect, test } from "vitest";
import {
  barHeight,
  columnAt,
  healingColumns,
  healingLayout,
  knownUntil,
  leastUsable,
  namedOrders,
  readBlocks,
  rowTop,
  usable,
} from "./healing";

/** Three orders: time, since, blocks of order 0, 1 and 2. */
const rows = readBlocks(
  Float64Array.from([
    ...[0, 0, 0, 0, 10],
    ...[10, 10, 8, 4, 6],
    ...[30, 20, 40, 0, 0],
    ...[80, 75, 4, 2, 8],
  ]),
  3,
);

test("reads rows of free blocks by order up to the last known row", () => {
  expect([rows.length, knownUntil(rows), knownUntil(readBlocks(new Float64Array(), 3))]).toEqual([
    4, 80, 0,
  ]);
});

test("a column shows the state at its end, and the last column shows the current state", () => {
  const columns = healingColumns(rows, 4);
  expect(columns.map(({ from_ns, to_ns }) => [from_ns, to_ns])).toEqual([
    [0, 20],
    [20, 40],
    [40, 60],
    [60, 80],
  ]);
  expect(columns.map(({ blocks }) => blocks[0])).toEqual([8, 40, 40, 4]);
  // More columns than moments would pretend to know more.
  expect(healingColumns(rows, 100)).toHaveLength(4);
  expect(healingColumns(readBlocks(new Float64Array(), 3), 10)).toEqual([]);
  expect([0, 20, 79, 200].map((ns) => columnAt(columns, ns))).toEqual([0, 1, 3, 3]);
});

test("usable is the part of free memory in sufficiently large blocks", () => {
  expect(usable([8, 4, 6], 0)).toBe(1);
  expect(usable([8, 4, 6], 2)).toBe(24 / 40);
  expect(usable([40, 0, 0], 1)).toBe(0);
  expect(usable([0, 0, 0], 1)).toBe(0);
  const least = leastUsable(healingColumns(rows, 4), 2);
  expect([least?.share, least?.column.from_ns]).toEqual([0, 20]);
});

test("puts the largest order on top and draws every order that has blocks", () => {
  const layout = healingLayout(11, 60, { width: 300, height: 90 });
  expect(layout).toMatchObject({ row_px: 8, height: 88, column_px: 5 });
  expect([rowTop(layout, 11, 10), rowTop(layout, 11, 0)]).toEqual([0, 80]);
  expect(barHeight([1000, 0, 1], 2, 8)).toBe(1);
  expect(barHeight([1000, 0, 1], 1, 8)).toBe(0);
  expect(barHeight([0, 0, 10], 2, 8)).toBe(7);
  // A quarter of free memory has half of the height.
  expect(barHeight([12, 0, 1], 2, 9)).toBe(4);
});

test("shows labels that fit, starting with the requested order", () => {
  expect(namedOrders(11, 9, 8)).toEqual([9, 0, 2, 4, 6]);
  expect(namedOrders(11, null, 24)).toHaveLength(11);
});
