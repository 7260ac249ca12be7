// Estimates the remaining time of a run of several kernels. It starts with the expected time, and
// gives more and more weight to the measured speed.

import type { Running } from "./controller";

type Going = Pick<Running, "doing" | "share" | "left_s">;

/**
 * Seconds until all have ended, with this many in parallel. Null while a running one has not shown
 * its speed. A waiting one counts as the average of the others.
 */
export function leftOf(running: readonly Going[], abreast: number): number | null {
  const runs = running.filter(({ doing }) => doing === "runs");
  const waiting = running.filter(({ doing }) => doing === "waits").length;
  const lefts: number[] = [];
  let wholes = 0;
  for (const { share, left_s } of runs) {
    if (share === null || left_s === null) return null;
    lefts.push(left_s);
    wholes += left_s / (1 - share);
  }
  if (lefts.length === 0) return null;
  const all = lefts.reduce((sum, left) => sum + left, 0) + (waiting * wholes) / lefts.length;
  return Math.max(...lefts, all / Math.min(abreast, lefts.length + waiting));
}

/** At this share of a run, measured and expected speed have equal weight. */
const EVEN_SHARE = 0.1;

/**
 * Estimates the remaining time of a run, s. It starts with the expected time, and the measured
 * speed gains weight as the run goes on. The first steps of a run can be a hundred times as fast as
 * most.
 */
export function foretold(
  expected_s: number | null,
  now = () => performance.now(),
): (share: number | null) => number | null {
  let first: { readonly share: number; readonly at: number } | null = null;
  return (share) => {
    if (share === null) return null;
    first ??= { share, at: now() };
    const ran_s = (now() - first.at) / 1000;
    const done = share - first.share;
    if (done <= 0 || ran_s <= 0) return expected_s === null ? null : expected_s * (1 - share);
    const rate_s = ran_s / done;
    if (expected_s === null) return done < EVEN_SHARE ? null : rate_s * (1 - share);
    const weight = done / (done + EVEN_SHARE);
    return expected_s ** (1 - weight) * rate_s ** weight * (1 - share);
  };
}

/**
 * How fast the shown value approaches a new estimate: within this time, s, the gap shrinks to 1/e.
 */
const FOLLOWS_S = 40;

/** Smooths successive estimates, so that the shown value never jumps. */
export function steady(now = () => performance.now()): (left_s: number | null) => number | null {
  let last: { readonly left_s: number; readonly at: number } | null = null;
  return (left_s) => {
    if (left_s === null) return null;
    const at = now();
    if (last === null || left_s <= 0) last = { left_s, at };
    const passed_s = (at - last.at) / 1000;
    // Subtracts the time that has passed, then moves part of the way to the new estimate.
    const due_s = Math.max(last.left_s - passed_s, last.left_s / 2, 1);
    const part = 1 - Math.exp(-passed_s / FOLLOWS_S);
    last = { left_s: due_s * (Math.max(left_s, 1) / due_s) ** part, at };
    return last.left_s;
  };
}
