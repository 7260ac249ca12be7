// Latencies on a logarithmic axis: each is counted once, in the bar of its length.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countOf,
  decadesOf,
  type Latencies,
  latencyBars,
  latencyTicks,
  medianOf,
} from "./latencies";

const BOX = { width: 150, height: 22 };
const some = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 1, max: 1e6 })),
  { minLength: 1, maxLength: 100 },
);

test("counts every latency in the bar of its length and keeps every bar inside the box", () => {
  fc.assert(
    fc.property(some, (latencies) => {
      const decades = decadesOf([latencies]);
      if (!decades) throw new Error("there are some");
      const bars = latencyBars(latencies, decades, BOX);
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(countOf(latencies));
      for (const { x, width, height } of bars) {
        expect(x >= 0 && x + width <= BOX.width + 1.01).toBe(true);
        expect(height >= 2 && height <= BOX.height).toBe(true);
      }
      for (const [ns] of latencies) {
        const length = Math.max(1, ns);
        const holds = bars.some(
          ({ from_ns, to_ns }) => length >= from_ns * 0.999_999 && length <= to_ns * 1.000_001,
        );
        expect(holds).toBe(true);
      }
    }),
  );
});

test("the axis spans whole powers of ten and is the same for all given distributions", () => {
  const [fast, slow]: Latencies[] = [[[2_000, 3]], [[4e9, 1]]];
  expect(decadesOf([fast ?? [], slow ?? []])).toEqual([3, 10]);
  expect(decadesOf([[], []])).toBeNull();
  expect(latencyTicks([3, 5], 100).map(({ x, ns }) => [x, ns])).toEqual([
    [0, 1e3],
    [50, 1e4],
    [100, 1e5],
  ]);
});

test("half of the latencies are no longer than the median", () => {
  expect(medianOf([])).toBeNull();
  expect(
    medianOf([
      [300, 1],
      [100, 1],
      [200, 1],
    ]),
  ).toBe(200);
  expect(
    medianOf([
      [100, 5],
      [900, 4],
    ]),
  ).toBe(100);
});
