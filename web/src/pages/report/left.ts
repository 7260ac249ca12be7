// How long a run of several kernels still takes, by how fast each of them goes.

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
