// Words and lengths for reclaim: priorities, owners of lists, bars of requests and dirty pages.

import { count, percent, zoneWords } from "../engine/format";

/** The first, most careful priority. */
export const FIRST_PRIORITY = 12;

/** The share of a list a priority stands for: 1/512 at 9, all of it at 0. */
export const shareFigure = (priority: number): string =>
  priority === 0 ? "all" : `1/${count(2 ** priority)}`;

/** The same in words. */
export const shareWords = (priority: number): string => `${shareFigure(priority)} of each list`;

/** Owner of LRU lists as said in a sentence. */
export const ownerWords = (key: string): string =>
  key.includes("/") ? zoneWords(key) : `node ${key}`;

/** How many of the pages scanned were freed: "63 %"; nothing before anything was scanned. */
export const efficiency = (freed: number, scanned: number): string =>
  scanned > 0 ? percent(freed / scanned) : "";

/** One stretch of a bar, as shares of its length. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Lays amounts end to end on a bar that stands for `whole`; what does not fit is cut. */
export function stretches(amounts: readonly number[], whole: number): Stretch[] {
  let sum = 0;
  return amounts.map((amount) => {
    const from = Math.min(1, sum / Math.max(1, whole));
    sum += amount;
    return { from, to: Math.min(1, sum / Math.max(1, whole)) };
  });
}

/** What a bar of dirty pages stands for at its right end: room above the limit, always. */
export const dirtyScale = (dirty: number, writeback: number, limit: number): number =>
  Math.max(1, limit * 1.25, (dirty + writeback) * 1.1);

/** The part of a wait that is left, 0 to 1; none without both ends. */
export function waitLeft(
  now_ns: number,
  since_ns: number | null,
  until_ns: number | null,
): number | null {
  if (since_ns === null || until_ns === null || until_ns <= since_ns) return null;
  return Math.min(1, Math.max(0, (until_ns - now_ns) / (until_ns - since_ns)));
}
