// Texts of an explained allocation that the engine does not provide.

import { count } from "../../../engine/format";
import type { Rec, RecordName } from "../../../engine/record";
import { MARKS } from "../../../engine/sentence";
import type { MarkTest, Reason, Stop, Verdict, Walk } from "./plan";

/** ALLOC_* flags by bit, in the engine's order. */
const ALLOC_FLAGS = [
  "ALLOC_NO_WATERMARKS",
  "ALLOC_HARDER",
  "ALLOC_HIGH",
  "ALLOC_NOFRAGMENT",
  "ALLOC_KSWAPD",
  "ALLOC_CPUSET",
  "ALLOC_FAIR",
] as const;
const [HARDER, HIGH] = [1 << 1, 1 << 2];
const NO_WATERMARKS = 1 << 0;

/** The names of some ALLOC_* flags. */
export const allocFlags = (flags: number): string[] =>
  ALLOC_FLAGS.filter((_, bit) => (flags & (1 << bit)) !== 0);

/** Does a walk ignore all watermarks? */
export const ignoresMarks = ({ flags }: Pick<Walk, "flags">): boolean =>
  flags !== null && (flags & NO_WATERMARKS) !== 0;

const TITLES: Readonly<Record<Reason, string>> = {
  fast: "First walk, low watermark",
  again: "Repeated walk with mixed migrate types",
  rescan: "Repeated walk without the zonelist cache",
  unfair: "Repeated walk without fair shares",
  min: "Slow path, min watermark",
  reclaimed: "After direct reclaim",
  drained: "After draining the per-cpu lists",
  retry: "Retry",
  last: "Last attempt, high watermark",
};

/** The purpose of a walk. */
export const walkTitle = (walk: Walk): string =>
  ignoresMarks(walk) ? "Slow path, no watermark" : TITLES[walk.reason];

/** The result for a zone, shown after the text of its check; empty if that text is sufficient. */
export const VERDICTS: Readonly<Record<Verdict, string>> = {
  took: "This zone serves the request.",
  refused: "",
  fragmented: "Skipped: no free block is large enough.",
  empty: "Skipped: no block could be taken.",
  dirty: "Skipped.",
  full: "Skipped.",
  fair: "Skipped: this zone has used up its fair share.",
  remote: "This zone is on another node: the walk is repeated with mixed migrate types.",
  open: "The walk has reached this zone.",
};

/** Why some free pages do not count in a check for an order. */
export function uncountedWords(test: MarkTest, order: number, blockPages: number): string {
  const out = test.free - test.value;
  const own = 2 ** order - 1;
  const power = `2${superscript(order)}`;
  if (out === own)
    return order === 0
      ? "nothing, because the request has order 0"
      : `${power} − 1 for the request itself`;
  // Kernels 3.0 and 3.1 subtract two pages more than intended.
  if (out === own + 2) return `${power} + 1 for the request itself, two more than intended`;
  if (out > own && (out - own) % blockPages === 0)
    return `${order === 0 ? "" : `${power} − 1 for the request itself, and `}${count(out - own)} reserved for high-order atomic requests`;
  return "";
}

const superscript = (n: number) =>
  [...String(n)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "").join("");

/** How a watermark was lowered. */
export function loweredWords({ lowered_by, whole, mark }: MarkTest): string {
  const how = [
    ...((lowered_by & HIGH) !== 0 ? ["halved for ALLOC_HIGH"] : []),
    ...((lowered_by & HARDER) !== 0 ? ["lowered by a quarter for ALLOC_HARDER"] : []),
  ];
  const from = `the ${MARKS[mark] ?? ""} watermark (${count(whole)})`;
  return how.length > 0 ? `${from}, ${how.join(" and ")}` : `${from} without its boost`;
}

/** Positions of the zonelist that a walk skipped: before each stop, and at its end. */
export interface Gap {
  /** The first and last position. */
  readonly first: number;
  readonly last: number;
  /** The zones are above the highest zone of the request; otherwise the walk did not reach them. */
  readonly isAbove: boolean;
}

/** The stops of a walk, with the positions that were skipped between them. */
export function withGaps({ stops, isWhole }: Walk): (Stop | Gap)[] {
  const out: (Stop | Gap)[] = [];
  const length = stops.find(({ of }) => of > 0)?.of ?? 0;
  let next = 1;
  // Zones skipped for their dirty pages have a position, although it was not recorded.
  let unplaced = 0;
  for (const stop of stops) {
    if (stop.place === 0) unplaced += 1;
    else {
      const last = stop.place - 1;
      if (last - next + 1 > unplaced) {
        out.splice(out.length - unplaced, 0, { first: next, last: last - unplaced, isAbove: true });
      }
      [next, unplaced] = [stop.place + 1, 0];
    }
    out.push(stop);
  }
  const isOver = isWhole || stops.at(-1)?.verdict === "took";
  if (length - next + 1 > unplaced && isOver) {
    out.push({ first: next + unplaced, last: length, isAbove: isWhole });
  }
  return out;
}

/** "Zone 3", "Zones 3 and 4", "Zones 2 to 4". */
export function placesWords({ first, last }: Gap): string {
  if (first === last) return `Zone ${first}`;
  return last === first + 1 ? `Zones ${first} and ${last}` : `Zones ${first} to ${last}`;
}

/**
 * How a block was taken. Repetitions are left out, because a refill fetches many blocks in the same
 * way.
 */
export interface Taking {
  readonly records: readonly Rec[];
  /** For a refill, the number of blocks fetched and of splits. */
  readonly fetched: number;
  readonly halved: number;
}

/** The decisions while a block is taken that need their own sentence. */
export function takingOf(take: readonly Rec[]): Taking {
  const isRefill = take.some(({ name }) => name === "RefillPcp");
  const count = (kind: RecordName) => take.filter(({ name }) => name === kind).length;
  if (!isRefill) return { records: take, fetched: 0, halved: 0 };
  const first = take.findIndex(({ name }) => name === "SplitDone");
  const records = first < 0 ? take : take.slice(0, first + 1);
  return { records, fetched: count("SplitDone"), halved: count("Split") };
}

/** Is a decision positive or negative? Null if it only reports an action. */
export function isYes(name: string): boolean | null {
  if (/^(TakePcp|BlockFound|FallbackFound|SplitDone|KswapdNotNeeded|ReclaimRetry)/.test(name))
    return true;
  if (/^(ZrOpen|ZrSuccess)/.test(name)) return true;
  if (
    /^(ZrFull|ZrNoWait|ZrRemote|ZrLocked|ZrSome|ZrStillLow|ZlcSkip|ZlcFull|ZoneUnreclaimable)/.test(
      name,
    )
  )
    return false;
  if (/^(BlockNone|FallbackNone|SlowEnter|SlowNoWait|ReclaimGiveUp|OomNobody)/.test(name))
    return false;
  return null;
}
