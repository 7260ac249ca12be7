// Describes a pageblock or one of its pages in words.

import { cellShares } from "../../draw/map/cellmap";
import {
  flagsOf,
  isThere,
  wordBlock,
  wordKind,
  wordState,
  wordType,
} from "../../draw/map/pageword";
import { stateWords } from "../../draw/states";
import { count, hex, orderWords, zoneWords } from "../../engine/format";
import type { Zoomed } from "../../engine/protocol";
import type { Info, ZoneView } from "../../engine/types";

/** The zone of a page frame on a node. */
export const zoneAt = (zones: readonly ZoneView[], node: number, pfn: number) =>
  zones.find(
    (zone) => zone.node === node && pfn >= zone.start_pfn && pfn < zone.start_pfn + zone.spanned,
  );

/** Pages by state, most frequent first: "412 inactive file, 88 dirty, 12 free". */
export const countWords = (counts: readonly number[]): string =>
  counts
    .map((pages, state) => ({ pages, words: stateWords(state) }))
    .filter(({ pages }) => pages > 0)
    .sort((a, b) => b.pages - a.pages)
    .map(({ pages, words }) => `${count(pages)} ${words}`)
    .join(", ");

/** A pageblock: "block 663, DMA32 on node 0, movable: 412 inactive file, 88 dirty, 12 free". */
export function blockWords(
  first_pfn: number,
  zone: string,
  type: string | undefined,
  shares: Uint16Array,
  place: number,
  pages: number,
): string {
  const block = `block ${count(first_pfn / pages)}, ${zoneWords(zone)}`;
  if (place < 0) return `${block}: no memory here`;
  // Shares are rounded down by less than half a page.
  const counts = cellShares(shares, place).map((share) => Math.round(share * pages));
  return `${block}${type ? `, ${type}` : ""}: ${countWords(counts)}`;
}

/** A page of a pageblock, with its flags. */
export function pageWords(
  { first_pfn, words }: Zoomed,
  zone: string | undefined,
  { page_size }: Info,
  index: number,
): string {
  const word = words[index] ?? 0;
  const place = `${hex(first_pfn + index)}${zone ? `, ${zoneWords(zone)}` : ""}`;
  if (!isThere(word)) return `${place}: no memory here`;
  const { head, pages } = wordBlock(words, index);
  const block =
    pages > 1
      ? `, in the block of ${orderWords(Math.log2(pages), page_size)} at ${hex(first_pfn + head)}`
      : "";
  const flags = flagsOf(word).map((name) => name.replace("PG_", ""));
  const flagWords = flags.length > 0 ? `; ${flags.join(", ")}` : "";
  return `${place}: ${stateWords(wordState(word))}${block}${flagWords}`;
}

/** The migrate type of a pageblock, from its data word: the kernel's name in lower case. */
export const typeWords = ({ migratetypes }: Info, word: number): string | undefined =>
  wordKind(word) === 0 ? undefined : migratetypes[wordType(word)]?.toLowerCase();
