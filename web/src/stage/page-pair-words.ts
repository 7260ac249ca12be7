// Texts that explain why reclaim takes one of two pages before the other.

import { FATES, LRU_LISTS } from "../draw/lru-lists";
import { stateWords } from "../draw/states";
import { count, counted, duration, hex } from "../engine/format";
import {
  type Decided,
  type InGeneration,
  isActive,
  type OnList,
  type Order,
  type PagePlace,
  type Protection,
  type Undecided,
} from "./page-place";
import { LRU_ROWS } from "./words";

/** The pages before it: "3 file pages of this generation before it". */
const before = (place: number, kind: string, of: string) =>
  `${place === 0 ? `no ${kind}` : counted(place, kind)} of this ${of} before it`;

const protectedBy = ({ group, file, usage, pages }: Protection) =>
  ` Its cgroup ${group} uses ${counted(usage, "page")}, not more than the ${count(pages)} that ${file} protects.`;

function listWords({ row, place, state, isReferenced, isFirstOut, isReread }: OnList): string {
  const name = LRU_LISTS[row]?.words ?? "";
  const flags = LRU_ROWS.flags(isReferenced, isFirstOut, isReread);
  // A clean page without flags has the state of its list.
  const own = stateWords(state) === name ? "" : `, ${stateWords(state)}`;
  const where =
    place === 0 && !isActive({ row })
      ? "; reclaim reaches it next on this list"
      : `, with ${before(place, "page", "list")}`;
  return `is on the ${name} list${where}${own}${flags}.`;
}

function generationWords(page: InGeneration): string {
  const { type, seq, younger, isOldest, age_ns, place, state, tier } = page;
  const rank = isOldest ? ", the oldest" : younger === 0 ? ", the youngest" : "";
  const [what, kind] = type === 1 ? ["a", "file page"] : ["an", "anonymous page"];
  // Reclaim takes pages only while at least two younger generations exist.
  const where =
    place === 0 && isOldest && younger >= 2
      ? `; reclaim reaches it next of all ${kind}s here`
      : `, with ${before(place, kind, "generation")}`;
  return `is ${what} ${kind} of generation ${count(seq)}${rank}, opened ${duration(age_ns)} ago${where}: ${stateWords(state)}, tier ${tier}.`;
}

/** Where a page is, after its name. */
function placeWords(place: PagePlace, taskName: (id: number) => string): string {
  switch (place.kind) {
    case "list":
      return listWords(place) + (place.protection ? protectedBy(place.protection) : "");
    case "generation":
      return generationWords(place) + (place.protection ? protectedBy(place.protection) : "");
    case "isolated":
      return `is isolated by ${taskName(place.task)}: ${FATES[place.fate]?.words ?? ""}.`;
    case "free":
      return "is free.";
    case "elsewhere":
      return place.state === null
        ? "is not among the pages that reclaim reaches soon."
        : `is on no list that reclaim takes pages from: ${stateWords(place.state)}.`;
  }
}

/** Why the first page goes first: `first` and `other` are their names. */
const FIRST: Readonly<Record<Decided, (first: string, other: string) => string>> = {
  isolated: (first, other) =>
    `Reclaim has isolated ${first} and decides about it now. It has not isolated ${other}.`,
  min: (first, other) =>
    `Reclaim of the whole machine takes pages like ${first} first: it skips the cgroup of ${other} while memory.min protects all of its pages.`,
  low: (first, other) =>
    `Reclaim of the whole machine takes pages like ${first} first: memory.low protects the cgroup of ${other} until nothing else can be reclaimed.`,
  inactive: (first, other) =>
    `Reclaim reaches ${first} first: it evicts only inactive pages, and ${other} is active.`,
  tail: (first, other) =>
    `Reclaim reaches ${first} first: on the same list it is nearer to the tail than ${other}.`,
  generation: (first, other) =>
    `Reclaim reaches ${first} first: it evicts from the oldest generation, and ${other} is in a younger one.`,
  end: (first, other) =>
    `Reclaim reaches ${first} first: in the same generation it is nearer to the end than ${other}.`,
};

/** Why the places of two pages do not say which one goes first. */
const UNDECIDED: Readonly<Record<Undecided, string>> = {
  "both-free": "Both pages are free.",
  "both-isolated": "Reclaim has isolated both pages and decides about each on its own.",
  "no-list": "Reclaim can take only pages of LRU lists, so their places cannot be compared.",
  nodes: "The pages are on different nodes. Reclaim scans each node separately.",
  owners:
    "The pages are on lists of different owners. Reclaim scans the lists of each owner separately.",
  worlds: "One page is on a classic list and the other in a generation.",
  types:
    "One page is anonymous and the other is a file page. Reclaim chooses how many pages of each type it scans.",
};

/** The comparison of two pages. */
export const PAGE_PAIR = {
  title: "Which page reclaim reaches first",
  close: "Close the comparison of both pages",
  closeShort: "Close",
  place: (place: PagePlace, taskName: (id: number) => string) => ` ${placeWords(place, taskName)}`,
  verdict: (order: Order, a: number, b: number): string => {
    if (order.reason === "free")
      return `${hex(order.free === "a" ? a : b)} is free already, so reclaim cannot take it.`;
    if (order.first === null) return UNDECIDED[order.reason];
    const [one, other] = order.first === "a" ? [a, b] : [b, a];
    return FIRST[order.reason](hex(one), hex(other));
  },
  decided: (step: number) => `Last decision of reclaim about this page, at step ${count(step)}:`,
  undecided: "Reclaim has not decided about this page in this run.",
  recentOnly:
    "A machine of this size keeps only its latest records. They contain no decision of reclaim about this page.",
  searching: "Searching for the last decision of reclaim about this page …",
  unknown: "The last decision of reclaim about this page cannot be read.",
  help: "Reclaim still checks each page: it keeps a page that was used, and must write a dirty page first.",
} as const;
