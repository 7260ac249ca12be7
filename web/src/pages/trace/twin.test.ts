import { expect, test } from "vitest";
import { comparedOf, firstDifference, ratioOf } from "./twin";

test("compares the growth of monotonic counters", () => {
  const counters = [
    { name: "pgfault", before: 100, after: 300 },
    { name: "nr_free_pages", before: 9, after: 3 },
    { name: "only_real", before: 0, after: 5 },
    { name: "pgscan_direct", before: 2, after: 9 },
  ];
  const before = new Map([
    ["pgfault", 10],
    ["nr_free_pages", 1],
  ]);
  const after = new Map([
    ["pgfault", 110],
    ["nr_free_pages", 8],
  ]);
  const compared = comparedOf(counters, before, after, (name) => name !== "only_real");
  expect(compared).toEqual([
    { name: "pgfault", real: 200, simulated: 100 },
    { name: "pgscan_direct", real: 7, simulated: 0 },
  ]);
  expect(compared.map(ratioOf)).toEqual([0.5, 0]);
});

test("names the counter that differs first, by enough pages and by a factor", () => {
  const moments = (...pairs: [number, number][]) =>
    pairs.map(([real, simulated], time_ns) => ({ time_ns, real, simulated }));
  const small = { name: "small", moments: moments([1, 60], [2, 60], [3, 60]) };
  const near = { name: "near", moments: moments([1000, 1200], [1000, 1400], [1000, 1499]) };
  const late = { name: "late", moments: moments([0, 0], [10, 10], [10, 200]) };
  const early = { name: "early", moments: moments([0, 0], [300, 100], [300, 100]) };
  expect(firstDifference([small, near])).toBeNull();
  expect(firstDifference([small, near, late, early])).toEqual({
    name: "early",
    time_ns: 1,
    real: 300,
    simulated: 100,
  });
});
