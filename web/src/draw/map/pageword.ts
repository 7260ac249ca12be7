// Parses the word in which the engine describes one page frame; see its `map::page_words`.

import { stateOf } from "../states";

/** The use of a frame, by the engine's index. */
export const KINDS = [
  "no memory here",
  "reserved: firmware, kernel image, page structures",
  "part of a block",
  "free, on a buddy list",
  "free, on a per-cpu list",
  "being allocated or freed",
  "anonymous memory of a process",
  "anonymous huge page",
  "page table",
  "allocated by the kernel",
  "file page",
  "slab page",
] as const;
/** Indices into {@link KINDS}. */
export const KIND = {
  absent: 0,
  reserved: 1,
  free: 3,
  pcp: 4,
  inFlight: 5,
  anon: 6,
  huge: 7,
  file: 10,
} as const;

/** Page flags, by their bit. */
export const FLAGS = [
  [16, "PG_lru"],
  [17, "PG_active"],
  [18, "PG_referenced"],
  [19, "PG_dirty"],
  [20, "PG_writeback"],
  [21, "PG_reclaim"],
  [22, "PG_swapcache"],
  [23, "PG_workingset"],
  [24, "PG_unevictable"],
  [25, "PG_mlocked"],
  [26, "PG_locked"],
  [27, "mapped"],
  [28, "PG_readahead"],
  [29, "isolated"],
] as const;

/** A flag's name. */
export type Flag = (typeof FLAGS)[number][1];

const BITS = Object.fromEntries(FLAGS.map(([bit, name]) => [name, 2 ** bit])) as Record<
  Flag,
  number
>;

/** Whether the page has this flag. */
export const hasFlag = (word: number, flag: Flag): boolean => (word & BITS[flag]) !== 0;
/** All flags of a page, by name. */
export const flagsOf = (word: number): Flag[] =>
  FLAGS.flatMap(([, name]) => (hasFlag(word, name) ? [name] : []));
/** Index of its state. */
export const wordState = (word: number): number => stateOf(word);
/** Index into {@link KINDS}. */
export const wordKind = (word: number): number => (word >>> 4) & 15;
/** Whether memory exists at the frame. */
export const isThere = (word: number): boolean => wordKind(word) !== KIND.absent;
/** Order of the block whose head it is; -1 if it is not the head of a block. */
export const wordOrder = (word: number): number => ((word >>> 8) & 255) - 1;
/** Index into `Info.migratetypes`: the type of its pageblock. */
export const wordType = (word: number): number => word >>> 30;

/** The part of a frame's block that the words cover: the first frame, and the number of pages. */
export function wordBlock(words: Uint32Array, index: number): { head: number; pages: number } {
  let head = index;
  while (head > 0 && wordOrder(words[head] ?? 0) < 0) head -= 1;
  const order = wordOrder(words[head] ?? 0);
  // The block is larger than the part that the words cover; its head lies before this part.
  if (order < 0) return { head: 0, pages: words.length };
  return { head, pages: 2 ** order };
}

/** Pages of each state among the words; frames without memory do not count. */
export function countStates(words: Uint32Array, states: number): number[] {
  const counts = new Array<number>(states).fill(0);
  for (const word of words) {
    if (isThere(word)) counts[wordState(word)] = (counts[wordState(word)] ?? 0) + 1;
  }
  return counts;
}

/** Flags drawn on tiles, except flags that are states; the flag that protects a page longest is
    first. */
export const GLYPHS: readonly (readonly [Flag, string, string])[] = [
  ["PG_mlocked", "lock", "mlocked"],
  ["PG_reclaim", "out", "freed first"],
  ["PG_referenced", "used", "referenced"],
];

/** The glyph on a page's tile, or none. */
export const glyphOf = (word: number): string | null =>
  GLYPHS.find(([flag]) => hasFlag(word, flag))?.[1] ?? null;
