// The report's words for a cell.

import { count } from "../../engine/format";
import type { Cell } from "../../engine/report";

/** The verdict on a cell, as a mark and words: never by colour or sign alone. */
export interface Mark {
  readonly sign: string;
  readonly words: string;
  readonly kind: "agrees" | "differs" | "unscored";
}

/** The mark of a cell; empty if it has not run. */
export function markOf(cell: Cell | undefined): Mark {
  if (cell === undefined || cell === "missing")
    return { sign: "", words: "not run", kind: "unscored" };
  if (cell === "baseline") return { sign: "", words: "baseline", kind: "unscored" };
  if (cell === "noise") return { sign: "·", words: "too few to tell", kind: "unscored" };
  if (cell === "unpublished") return { sign: "·", words: "not published", kind: "unscored" };
  if (cell === "unscored") return { sign: "·", words: "shown, not scored", kind: "unscored" };
  if (!cell.agrees) return { sign: "✗", words: "differs", kind: "differs" };
  const words = cell.published === "flat" ? "flat in both" : "same direction";
  return { sign: cell.published === "flat" ? "=" : "✓", words, kind: "agrees" };
}

/** A value with as many digits as its unit needs. */
export function valueWords(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (Number.isInteger(value)) return count(value);
  const [whole = "0", part = ""] = Math.abs(value)
    .toFixed(value >= 1000 ? 0 : 2)
    .split(".");
  const grouped = count(Number(whole));
  return `${value < 0 ? "\u2212" : ""}${grouped}${part ? `.${part}` : ""}`;
}

/** The simulated change as a multiple of the published one. */
export const ratioWords = (cell: Cell | undefined): string =>
  typeof cell === "object" && cell.ratio !== null ? `×\u202f${cell.ratio.toFixed(2)}` : "";

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** When runs were made: "on 22 November 2026, 08:20–08:35", or from the first day to the last. */
export function whenWords(run_ms: readonly number[]): string {
  const ends = [Math.min(...run_ms), Math.max(...run_ms)];
  const [day, lastDay] = ends.map((ms) => DATE.format(ms));
  const [time, lastTime] = ends.map((ms) => TIME.format(ms));
  if (day !== lastDay) return `from ${day}, ${time} to ${lastDay}, ${lastTime}`;
  return `on ${day}, ${time === lastTime ? time : `${time}–${lastTime}`}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** A date in words: "26 November 2026" for "2026-11-26". */
export const dayWords = (day: string): string => DAY.format(new Date(day));
