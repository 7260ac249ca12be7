// How long a run of several kernels still takes: from what each is expected to take before it begins,
// and more and more from how fast it goes.

import type { Running } from "./controller";

type Going = Pick<Running, "doing" | "share" | "left_s">;

/**
 * Seconds until all have ended, so many side by side; null while one of those that run has not shown
 * how fast it goes. Who waits takes as long as the others on average.
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

/** When so much of a run is done, what it showed counts as much as what was expected. */
const EVEN_SHARE = 0.1;

/**
 * Says how long a run still takes, s. It begins with what was expected, and what the run shows itself
 * counts by how much of it is done: the first steps of a run can be a hundred times as fast as most.
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
    const shown_s = ran_s / done;
    if (expected_s === null) return done < EVEN_SHARE ? null : shown_s * (1 - share);
    const weight = done / (done + EVEN_SHARE);
    return expected_s ** (1 - weight) * shown_s ** weight * (1 - share);
  };
}

/** How fast what is shown follows a new estimate: it comes as near as 1/e of the gap in so long, s. */
const FOLLOWS_S = 40;

/** Shows one estimate after another so that none is far from the one before it. */
export function steady(now = () => performance.now()): (left_s: number | null) => number | null {
  let last: { readonly left_s: number; readonly at: number } | null = null;
  return (left_s) => {
    if (left_s === null) return null;
    const at = now();
    if (last === null || left_s <= 0) last = { left_s, at };
    const passed_s = (at - last.at) / 1000;
    // As much less as the time that has passed, and then part of the way to the new estimate.
    const due_s = Math.max(last.left_s - passed_s, last.left_s / 2, 1);
    const part = 1 - Math.exp(-passed_s / FOLLOWS_S);
    last = { left_s: due_s * (Math.max(left_s, 1) / due_s) ** part, at };
    return last.left_s;
  };
}
