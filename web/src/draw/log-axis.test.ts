import { expect, test } from "vitest";
import { logAxis } from "./log-axis";

test("an axis spans from the power of ten below the smallest value to the one above the largest", () => {
  const axis = logAxis([31.4, 477_923.94, null, 0], 500);
  expect(axis?.ticks.map(({ value }) => value)).toEqual([
    10, 100, 1000, 10_000, 100_000, 1_000_000,
  ]);
  expect(axis?.ticks.map(({ x }) => x)).toEqual([0, 100, 200, 300, 400, 500]);
  expect(axis?.place(1000)).toBeCloseTo(200);
  expect(axis?.place(31.622776)).toBeCloseTo(50);
});

test("ignores values without a logarithm and makes an axis for a single value", () => {
  const axis = logAxis([100], 80);
  expect(axis?.ticks.map(({ value }) => value)).toEqual([100, 1000]);
  expect(axis?.place(0)).toBeNull();
  expect(axis?.place(null)).toBeNull();
  expect(logAxis([0, null], 80)).toBeNull();
});
