// The bars of sleeps and of gates: their places.

import fc from "fast-check";
import { expect, test } from "vitest";
import { endsOf, gateBar, isOpen, type Sleeps, sleepBars, waitsIn } from "./queues";

const BOX = { width: 128, height: 22 };
const PUBLISHED: Sleeps = [
  [0, 7147],
  [4000, 3359],
  [96_000, 30],
  [100_000, 83_962],
];

test("draws sleeps of this run above the axis and published ones below, and marks the ends", () => {
  const bars = sleepBars(
    [
      [0, 1],
      [8000, 10],
      [100_000, 1000],
    ],
    PUBLISHED,
    100_000,
    BOX,
  );
  expect(bars.here.map(({ isEnd }) => isEnd)).toEqual([true, false, true]);
  const heights = bars.here.map(({ height }) => height);
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
  expect(bars.here.every(({ y, height }) => y + height === bars.axis_y)).toBe(true);
  expect(bars.published.every(({ y }) => y === bars.axis_y + 1)).toBe(true);
});

test("sleeps longer than their timeout extend the scale", () => {
  const { most_us, here } = sleepBars([[132_000, 2]], [], 100_000, BOX);
  expect(most_us).toBe(132_000);
  expect(here[0]?.isEnd).toBe(true);
});

const sleeps = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 1, max: 1e9 })),
  {
    maxLength: 200,
  },
);

test("keeps every bar inside its box and separate from other bars", () => {
  fc.assert(
    fc.property(sleeps, sleeps, fc.integer({ min: 1, max: 500_000 }), (here, there, timeout) => {
      const bars = sleepBars(here, there, timeout, BOX);
      for (const of of [bars.here, bars.published]) {
        for (const { x, y, width, height } of of) {
          expect(x >= 0 && x + width <= BOX.width + 0.01).toBe(true);
          expect(y >= 0 && y + height <= BOX.height).toBe(true);
        }
        expect(new Set(of.map(({ x }) => x)).size).toBe(of.length);
      }
      expect(bars.here.length === 0).toBe(here.length === 0);
    }),
  );
});

test("shows both numbers in the bar of a gate, with the larger one before the end", () => {
  expect(gateBar({ value: 93, against: 128 })).toEqual({ filled: 93 / 160, mark: 128 / 160 });
  expect(gateBar({ value: 412, against: 388 }).filled).toBeCloseTo(0.8);
  expect(gateBar({ value: 0, against: 0 })).toEqual({ filled: 0, mark: 0 });
});

test("a gate is open exactly when the kernel would wake the sleepers", () => {
  const gate = (value: number, against: number) => ({ value, against, task: null, list: null });
  expect(isOpen("writeback", gate(64, 64))).toBe(false);
  expect(isOpen("writeback", gate(65, 64))).toBe(true);
  expect(isOpen("isolated", gate(31, 31))).toBe(true);
  expect(isOpen("isolated", gate(32, 31))).toBe(false);
  expect(isOpen("noprogress", gate(32, 32))).toBe(false);
  expect(isOpen("congestion_wait", gate(0, 0))).toBe(false);
});

test("counts sleeps by the event that ended them", () => {
  expect(waitsIn(PUBLISHED)).toBe(94_498);
  expect(endsOf(PUBLISHED, 100_000)).toEqual({ none: 7147, whole: 83_962 });
});
