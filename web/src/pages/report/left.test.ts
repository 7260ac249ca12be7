import { expect, test } from "vitest";
import { foretold, leftOf, steady } from "./left";

const runs = (share: number, left_s: number | null) => ({ doing: "runs", share, left_s }) as const;
const waits = { doing: "waits", share: null, left_s: null } as const;
const done = { doing: "done", share: 1, left_s: null } as const;

test("adds up the remaining time of running kernels and whole runs for waiting ones", () => {
  expect(leftOf([runs(0.5, 30)], 1)).toBe(30);
  expect(leftOf([done, runs(0.5, 30), waits], 1)).toBe(90);
  expect(leftOf([runs(0.5, 30), runs(0.5, 30), waits, waits], 2)).toBe(90);
});

test("estimates the time of the longest of several parallel runs", () => {
  expect(leftOf([runs(0.9, 5), runs(0.1, 90)], 2)).toBe(90);
  expect(leftOf([runs(0.9, 5), runs(0.1, 90)], 3)).toBe(90);
});

test("gives no estimate before every run has shown its speed", () => {
  expect(leftOf([runs(0.5, 30), runs(0, null)], 2)).toBeNull();
  expect(leftOf([waits], 1)).toBeNull();
});

/** A run whose speed changes: the estimate shown each second until it has ended. */
function estimates(expected_s: number, phases: readonly { share: number; seconds: number }[]) {
  let ms = 0;
  const now = () => ms;
  const [estimate, smooth] = [foretold(expected_s, now), steady(now)];
  const lefts: number[] = [];
  let share = 0;
  for (const phase of phases) {
    for (let second = 0; second < phase.seconds; second += 1) {
      const left = estimate(share);
      lefts.push(smooth(leftOf([runs(share, left)], 1)) ?? Number.NaN);
      share += phase.share / phase.seconds;
      ms += 1000;
    }
  }
  return lefts;
}

/** The largest ratio between the estimates of successive seconds, up or down. */
const jump = (lefts: readonly number[]) =>
  Math.max(
    ...lefts.slice(1).map((left, i) => {
      const due = Math.max((lefts[i] ?? 0) - 1, 1);
      return Math.max(left / due, due / left);
    }),
  );

test("the estimate does not jump when a run starts a hundred times too fast or too slow", () => {
  // The expected time was two minutes; the run takes 106 s.
  const slow = estimates(120, [
    { share: 0.01, seconds: 9 },
    { share: 0.99, seconds: 6360 },
  ]);
  expect(slow[0]).toBeCloseTo(120, 0);
  expect(jump(slow)).toBeLessThan(1.25);
  // After half of the run the estimate is nearly right.
  const half = Math.floor(slow.length / 2);
  expect(slow[half]).toBeGreaterThan(0.5 * (slow.length - half));
  // Touches of resident pages are done many at once; then reclaim begins.
  const fast = estimates(6000, [
    { share: 0.3, seconds: 20 },
    { share: 0.7, seconds: 4000 },
  ]);
  expect(jump(fast)).toBeLessThan(1.25);
});

test("the estimate of a steady run counts down, whatever time was expected", () => {
  for (const expected_s of [100, 300, 900]) {
    const lefts = estimates(expected_s, [{ share: 1, seconds: 300 }]);
    const truth = (second: number) => 300 - second;
    expect(Math.abs((lefts[250] ?? 0) - truth(250))).toBeLessThan(25);
  }
});

test("gives no estimate without an expected time until a tenth is done", () => {
  let ms = 0;
  const estimate = foretold(null, () => ms);
  expect(estimate(0)).toBeNull();
  ms = 5000;
  expect(estimate(0.05)).toBeNull();
  ms = 10_000;
  expect(estimate(0.1)).toBeCloseTo(90, 5);
});
