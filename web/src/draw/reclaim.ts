// Words and lengths for reclaim: priorities, owners of lists, bars of requests and dirty pages.

import { count, percent, zoneWords } from "../engine/format";

/** The first priority, which scans least. */
export const FIRST_PRIORITY = 12;

/** The share of a list that a priority scans: 1/512 at 9, all of it at 0. */
export const shareFigure = (priority: number): string =>
  priority === 0 ? "all" : `1/${count(2 ** priority)}`;

/** The same in words. */
export const shareWords = (priority: number): string => `${shareFigure(priority)} of each list`;

/** The owner of LRU lists, as part of a sentence. */
export const ownerWords = (key: string): string =>
  key.includes("/") ? zoneWords(key) : `node ${key}`;

/** The share of scanned pages that were freed: "63 %"; empty before anything was scanned. */
export const efficiency = (freed: number, scanned: number): string =>
  scanned > 0 ? percent(freed / scanned) : "";

/** A section of a bar, as shares of its length. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Places amounts end to end on a bar of `whole`; cuts off amounts that do not fit. */
export function stretches(amounts: readonly number[], whole: number): Stretch[] {
  let sum = 0;
  return amounts.map((amount) => {
    const from = Math.min(1, sum / Math.max(1, whole));
    sum += amount;
    return { from, to: Math.min(1, sum / Math.max(1, whole)) };
  });
}

/** The value at the right end of a bar of dirty pages: always above the limit. */
export const dirtyScale = (dirty: number, writeback: number, limit: number): number =>
  Math.max(1, limit * 1.25, (dirty + writeback) * 1.1);

/** The remaining part of a wait, 0 to 1; null unless both ends are known. */
export function waitLeft(
  now_ns: number,
  since_ns: number | null,
  until_ns: number | null,
): number | null {
  if (since_ns === null || until_ns === null || until_ns <= since_ns) return null;
  return Math.min(1, Math.max(0, (until_ns - now_ns) / (until_ns - since_ns)));
}
