// Describes one page in words: its contents, its position on its list, and what happens next.

import { count, hex, orderWords } from "../../engine/format";
import { type GenerationPlace, generationLine, generationNext } from "../generation-place";
import { type LruPages, lruPage } from "../lru-lists";
import { ownerWords } from "../reclaim";
import { stateWords } from "../states";
import {
  type Flag,
  hasFlag,
  KIND,
  KINDS,
  wordBlock,
  wordKind,
  wordOrder,
  wordState,
} from "./pageword";

/** A line of a page's story: its subject and its text. */
export type StoryLine = readonly [about: "now" | "of" | "list" | "block" | "next", says: string];

const LISTS = ["inactive anon", "active anon", "inactive file", "active file"] as const;

/** A list of pages in order of age, with its drawing. */
export interface ListOwner {
  /** "0/DMA32" if a zone owns the lists, "0" if a node does. */
  readonly key: string;
  /** Pages on each list, by the engine's index. */
  readonly pages: readonly number[];
  readonly lists: readonly LruPages[];
}

/** A page's position on the lists of an owner: which list, and the distance from its tail (1: the
    tail). */
function placeOnLists({ lists }: ListOwner, pfn: number) {
  for (const [list, candidate] of lists.entries()) {
    for (let place = 0; place < candidate.sent; place += 1) {
      if (lruPage(candidate, place)?.pfn === pfn) return { list, place: place + 1 };
    }
  }
  return null;
}

/** 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(n: number): string {
  const teen = n % 100 > 10 && n % 100 < 14;
  const end = teen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${count(n)}${end}`;
}

/** The data from which a page is described. */
export interface PageData {
  readonly words: Uint32Array;
  readonly first_pfn: number;
  readonly pfn: number;
  readonly page_bytes: number;
  /** The owner of the lists that the page may be on. */
  readonly owner: ListOwner | null;
  /** Its place among the generations; null without the multi-generational LRU. */
  readonly generation: GenerationPlace | null;
  /** Migrate type of its pageblock, in lower case. */
  readonly type: string | undefined;
}

/** The story of a page, line by line. */
export function pageStory(page: PageData): StoryLine[] {
  const word = page.words[page.pfn - page.first_pfn] ?? 0;
  const { generation } = page;
  const list = generation ? generationLine(generation) : listLine(page, word);
  return [
    ["now", nowLine(word)],
    ["of", ofLine(word)],
    ...(list ? [["list", list] as const] : []),
    ["block", blockLine(page)],
    ["next", generation && isListed(word) ? generationNext(generation) : nextLine(word)],
  ];
}

const NOW: readonly (readonly [Flag, string])[] = [
  ["PG_dirty", "dirty"],
  ["PG_writeback", "writeback"],
  ["isolated", "isolated"],
  ["PG_mlocked", "locked in memory"],
  ["PG_swapcache", "in the swap cache"],
  ["PG_workingset", "was active before"],
];

function nowLine(word: number): string {
  const state = stateWords(wordState(word));
  if (!isOfUser(word)) return state;
  const more = NOW.flatMap(([flag, words]) => (hasFlag(word, flag) ? [words] : []));
  const touched = hasFlag(word, "PG_referenced") ? "referenced" : "not referenced";
  return [state, ...more.filter((words) => words !== state), touched].join(", ");
}

const isOfUser = (word: number) => wordKind(word) === KIND.anon || wordKind(word) === KIND.file;

function ofLine(word: number): string {
  const kind = KINDS[wordKind(word)] ?? "";
  if (!isOfUser(word)) return kind;
  return `${kind}, ${hasFlag(word, "mapped") ? "mapped by a page table" : "not mapped"}`;
}

function listLine({ owner, pfn }: PageData, word: number): string | null {
  if (!hasFlag(word, "PG_lru") || !owner) return null;
  const of = ownerWords(owner.key);
  if (hasFlag(word, "PG_unevictable")) return `unevictable, of ${of}: reclaim never scans it`;
  const place = placeOnLists(owner, pfn);
  const list =
    place?.list ?? (wordKind(word) === KIND.file ? 2 : 0) + Number(hasFlag(word, "PG_active"));
  const pages = count(owner.pages[list] ?? 0);
  const where = place
    ? place.place === 1
      ? `at the tail, the next to be scanned, of ${pages}`
      : `${ordinal(place.place)} from the tail of ${pages}`
    : `not among the ${count(owner.lists[list]?.sent ?? 0)} oldest of ${pages}`;
  return `${LISTS[list]} of ${of}, ${where}`;
}

/** Is reclaim free to evict it once it is the oldest? Other pages follow the rules of every kernel. */
const isListed = (word: number): boolean =>
  isOfUser(word) &&
  !hasFlag(word, "isolated") &&
  !hasFlag(word, "PG_writeback") &&
  !hasFlag(word, "PG_mlocked") &&
  !hasFlag(word, "PG_unevictable");

function blockLine({ words, first_pfn, pfn, page_bytes, type }: PageData): string {
  const at = pfn - first_pfn;
  const { head, pages } = wordBlock(words, at);
  const isWhole = wordOrder(words[head] ?? 0) >= 0;
  const what =
    pages === 1
      ? "order 0, a single page"
      : isWhole
        ? `${orderWords(Math.log2(pages), page_bytes)}, from ${hex(first_pfn + head)}`
        : "part of a block larger than its pageblock";
  return type ? `${what}; its pageblock is ${type}` : what;
}

/** Reclaim's rules for the page in its present state: the effect of an access and of the scan. */
function nextLine(word: number): string {
  const is = (flag: Flag) => hasFlag(word, flag);
  const kind = wordKind(word);
  if (kind === KIND.free) return "the next request of its order and migrate type may take it";
  if (kind === KIND.pcp) return "the next request of this CPU may take it";
  if (kind === KIND.inFlight) return "it is being allocated or freed";
  if (!isOfUser(word)) return "reclaim does not scan it; only its owner frees it";
  if (is("PG_unevictable") || is("PG_mlocked")) return "it stays until it is unlocked";
  if (is("isolated")) return "reclaim decides whether to free, keep, activate or write it";
  if (is("PG_writeback"))
    return is("PG_reclaim")
      ? "when its write ends, it moves to the tail and is freed first"
      : "it cannot be freed before its write ends";
  if (is("PG_active"))
    return "when the active list shrinks, reclaim deactivates its pages from the tail, even if they were accessed";
  if (kind === KIND.anon)
    return "at the tail, reclaim checks whether it was accessed: if so, it stays; otherwise it is swapped out";
  const end = is("PG_dirty") ? "it must be written before it is freed" : "it is freed";
  return is("PG_referenced")
    ? `the next access activates it; if it reaches the tail without an access, ${end}`
    : `a first access marks it referenced, a second activates it; if it reaches the tail without an access, ${end}`;
}
