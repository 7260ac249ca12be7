// The past part of a story.

import type { Moment } from "../../story/telling";

/** The last moments up to a step, newest first, at most `most` of them. */
export function pastMoments(
  moments: readonly Moment[],
  step: number,
  most: number,
): readonly Moment[] {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.step ?? 0) > step) high = middle;
    else low = middle + 1;
  }
  return moments.slice(Math.max(0, low - most), low).reverse();
}
