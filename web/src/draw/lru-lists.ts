// Draws LRU lists: the head is on the left; the tail, from which reclaim takes pages, is on the
// right. The last pages, one reclaim batch, are drawn as tiles; a strip to their left shows the
// rest.

import { FREE, STATES } from "./states";
import { type Palette, paintPieces, tilePieces } from "./tile";

/** The lists in drawing order, by the engine's index. */
export const LRU_LISTS = [
  { list: 2, words: "inactive file", token: "file-inactive" },
  { list: 3, words: "active file", token: "file-active" },
  { list: 0, words: "inactive anon", token: "anon-inactive" },
  { list: 1, words: "active anon", token: "anon-active" },
] as const;
/** The number of lists of one owner in the engine's array. */
const LISTS = LRU_LISTS.length;
/** The row below the lists: isolated pages. */
export const HAND_ROW = LISTS;
/**
 * The number of pages drawn as tiles: one call isolates this number of pages, unless reclaim is
 * lumpy.
 */
export const SLOTS = 32;

/** Words for the outcome of a page of a batch, by the engine's index. */
export const FATES = [
  { words: "to check", token: "isolated" },
  { words: "being checked", token: "isolated" },
  { words: "freed", token: "freed" },
  { words: "kept", token: "" },
  { words: "activated", token: "" },
  { words: "writing", token: "writeback" },
  { words: "deactivated", token: "" },
] as const;
/** Indices into {@link FATES}. */
export const AHEAD = 0;
export const NOW = 1;
const FREED = 2;

/** One page of a drawn list. */
export interface LruPage {
  readonly pfn: number;
  /** Index of its state. */
  readonly state: number;
  /** Accessed once since reclaim last checked it. */
  readonly isReferenced: boolean;
  /** Freed first once its writeback has finished. */
  readonly isFirstOut: boolean;
  /** Read again after reclaim had evicted it. */
  readonly isReread: boolean;
}

/** One list's pages as the engine sent them, tail first. */
export interface LruPages {
  readonly words: Uint32Array;
  /** Index of its first page. */
  readonly at: number;
  /** Number of pages sent; the list may be longer. */
  readonly sent: number;
}

const NO_WORDS = new Uint32Array(0);
/** A list without pages. */
export const NO_LRU_PAGES: LruPages = { words: NO_WORDS, at: 0, sent: 0 };

/** Splits the engine's array into lists: by owner, then by list. */
export function readLruPages(words: Uint32Array): LruPages[][] {
  const owners: LruPages[][] = [];
  let at = 0;
  while (at < words.length) {
    const lists: LruPages[] = [];
    for (let list = 0; list < LISTS && at < words.length; list += 1) {
      const sent = words[at] ?? 0;
      lists.push({ words, at: at + 1, sent });
      at += 1 + 2 * sent;
    }
    owners.push(lists);
  }
  return owners;
}

/** The page at a distance from the tail. */
export function lruPage({ words, at, sent }: LruPages, place: number): LruPage | null {
  if (place < 0 || place >= sent) return null;
  const word = words[at + 2 * place + 1] ?? 0;
  return {
    pfn: words[at + 2 * place] ?? 0,
    state: word & 0xff,
    isReferenced: (word & 0x100) !== 0,
    isFirstOut: (word & 0x200) !== 0,
    isReread: (word & 0x400) !== 0,
  };
}

/** The layout of the lists; all in px. */
export interface LruLayout {
  readonly width: number;
  readonly height: number;
  readonly row_px: number;
  /** The line of each row, isolated pages last; null for a folded list. */
  readonly lines: readonly (number | null)[];
  /** The line shared by all folded lists. */
  readonly folded_line: number | null;
  /** Distance from a row's top to its tiles. */
  readonly top_px: number;
  readonly tile_px: number;
  /** The longest possible strip. */
  readonly strip_px: number;
  /** Left edge of the leftmost tile. */
  readonly tiles_x: number;
}

const BREAK_PX = 14;
const END_PX = 4;
const TILE_HEIGHT_PX = 12;
/** If strips would be shorter than this, tiles get smaller. */
const LEAST_STRIP_PX = 16;

/** Gives each row a line, in order; folded lists share the line above the isolated pages. */
function linesOf(folded: readonly boolean[]) {
  let at = 0;
  const lines = LRU_LISTS.map((_, row) => (folded[row] ? null : at++));
  const folded_line = lines.includes(null) ? at++ : null;
  return { lines: [...lines, at], folded_line, many: at + 1 };
}

/**
 * Lays out five rows in `width` px, folded lists as one line. If names are above their rows, the
 * rows are higher.
 */
export function lruLayout(
  width: number,
  isStacked: boolean,
  folded: readonly boolean[] = [],
): LruLayout {
  const rest = (tile_px: number) => width - SLOTS * tile_px - BREAK_PX - END_PX;
  const tile_px = rest(8) >= LEAST_STRIP_PX ? 8 : 7;
  const row_px = isStacked ? 31 : 16;
  const { lines, folded_line, many } = linesOf(folded);
  return {
    width: Math.max(0, width),
    height: row_px * many,
    row_px,
    lines,
    folded_line,
    top_px: isStacked ? 17 : 2,
    tile_px,
    strip_px: Math.max(0, rest(tile_px)),
    tiles_x: width - END_PX - SLOTS * tile_px,
  };
}

/** Top left corner of a tile, by its row and its distance from the tail. */
export function slotPlace(layout: LruLayout, row: number, place: number) {
  return {
    x: layout.tiles_x + (SLOTS - 1 - place) * layout.tile_px,
    y: lineOf(layout, row) * layout.row_px + layout.top_px,
  };
}

/** The line of a row; folded lists share one. */
export const lineOf = ({ lines, folded_line }: LruLayout, row: number): number =>
  lines[row] ?? folded_line ?? row;

/** The row and the distance from the tail at a point. */
export function slotAt(
  layout: LruLayout,
  x: number,
  y: number,
): { row: number; place: number } | null {
  const row = layout.lines.indexOf(Math.floor(y / layout.row_px));
  const place = SLOTS - 1 - Math.floor((x - layout.tiles_x) / layout.tile_px);
  if (row < 0 || place < 0 || place >= SLOTS) return null;
  return { row, place };
}

/** Left edge and width of a list's strip: the owner's longest list has the longest strip. */
export function stripPlace(
  { tiles_x, strip_px }: LruLayout,
  pages: number,
  longest: number,
): { x: number; width: number } {
  const rest = Math.max(0, pages - SLOTS);
  const share = rest / Math.max(1, longest - SLOTS);
  const width = rest === 0 ? 0 : Math.max(2, share * strip_px);
  return { x: tiles_x - BREAK_PX - width, width };
}

/** Where a page is drawn, as a tile or in the strip, by its distance from the tail. */
export function pagePlace(
  layout: LruLayout,
  row: number,
  place: number,
  pages: number,
  longest: number,
): { x: number; y: number } {
  const slot = slotPlace(layout, row, place);
  if (place < SLOTS) return slot;
  const { x, width } = stripPlace(layout, pages, longest);
  const share = (place - SLOTS) / Math.max(1, pages - SLOTS);
  return { x: x + width * (1 - share), y: slot.y };
}

/** Shares of the states in one bin of a strip; bins are counted from the head, on the left. */
export function stripBin(lruPages: LruPages, bin: number, bins: number): number[] {
  const shares = STATES.map(() => 0);
  const rest = lruPages.sent - SLOTS;
  const from = SLOTS + Math.floor((rest * (bins - 1 - bin)) / bins);
  const to = Math.max(from + 1, SLOTS + Math.floor((rest * (bins - bin)) / bins));
  for (let place = from; place < to; place += 1) {
    const state = (lruPages.words[lruPages.at + 2 * place + 1] ?? 0) & 0xff;
    shares[state] = (shares[state] ?? 0) + 1 / (to - from);
  }
  return shares;
}

/** A page of a batch. */
export interface HandPage {
  readonly pfn: number;
  /** Index into {@link FATES}: its outcome. */
  readonly fate: number;
  /** The state of the page besides isolated. */
  readonly state: number;
}

/** Reads the pages of a batch as the engine sent them, in the order in which they were isolated. */
export const readHand = (pages: readonly (readonly [number, number])[]): HandPage[] =>
  pages.map(([pfn, word]) => ({ pfn, fate: word & 0xff, state: word >> 8 }));

/** The first page of a batch that is drawn. The drawn part has as many pages as a row has tiles and
 * includes the first page without an outcome. Most batches fit completely. */
export function handFrom(hand: readonly HandPage[]): number {
  const open = hand.findIndex(({ fate }) => fate === AHEAD || fate === NOW);
  const place = open < 0 ? hand.length - 1 : open;
  return Math.max(0, place - (place % SLOTS));
}

/** The colour of a page of a batch: isolated until its outcome is known. */
export function handToken({ fate, state }: HandPage): string {
  if (fate === AHEAD || fate === NOW) return "isolated";
  return fate === FREED ? "freed" : (STATES[state]?.token ?? "isolated");
}

/** For each row, whether its lists were empty at all moments seen so far; these rows are folded. */
export function stillEmpty(
  empty: readonly boolean[],
  owners: readonly { readonly lists: readonly number[] }[],
): readonly boolean[] {
  const next = LRU_LISTS.map(
    ({ list }, row) =>
      (empty[row] ?? true) && owners.every(({ lists }) => (lists[list] ?? 0) === 0),
  );
  return next.every((isEmpty, row) => isEmpty === empty[row]) ? empty : next;
}

/** One row to paint. */
export interface LruRow {
  readonly list: LruPages;
  /** Pages on the list. */
  readonly pages: number;
  /** The page state of the list, for the part of the list that was not sent. */
  readonly token: string;
}

/** Paints the lists and the isolated pages. */
export function paintLruRows(
  g: CanvasRenderingContext2D,
  layout: LruLayout,
  rows: readonly LruRow[],
  hand: readonly HandPage[],
  palette: Palette,
) {
  const longest = Math.max(...rows.map(({ pages }) => pages));
  rows.forEach((row, i) => {
    paintStrip(g, layout, row, i, longest, palette);
    for (let place = 0; place < SLOTS; place += 1) {
      const page = lruPage(row.list, place);
      if (page) paintTile(g, layout, i, place, STATES[page.state]?.token ?? "", palette);
      if (page?.isReferenced) paintUsed(g, slotPlace(layout, i, place), palette);
    }
  });
  hand.forEach((page, place) => {
    if (place < SLOTS) paintTile(g, layout, HAND_ROW, place, handToken(page), palette);
  });
}

function paintTile(
  g: CanvasRenderingContext2D,
  layout: LruLayout,
  row: number,
  place: number,
  token: string,
  palette: Palette,
) {
  const { x, y } = slotPlace(layout, row, place);
  const width = layout.tile_px - 1;
  if (token !== "freed") {
    paintPieces(g, tilePieces(token, x, y, width, TILE_HEIGHT_PX), palette);
    return;
  }
  g.setLineDash([2, 1.5]);
  g.strokeStyle = palette["ink-2"] ?? "";
  g.lineWidth = 1;
  g.strokeRect(x + 0.5, y + 0.5, width - 1, TILE_HEIGHT_PX - 1);
  g.setLineDash([]);
}

/** PG_referenced: a small dark corner, lower left. */
function paintUsed(
  g: CanvasRenderingContext2D,
  { x, y }: { x: number; y: number },
  palette: Palette,
) {
  g.fillStyle = palette["ink-1"] ?? "";
  g.fillRect(x, y + TILE_HEIGHT_PX - 2, 3, 2);
}

const BIN_PX = 3;

function paintStrip(
  g: CanvasRenderingContext2D,
  layout: LruLayout,
  { list: lruPages, pages, token }: LruRow,
  row: number,
  longest: number,
  palette: Palette,
) {
  const { x, width } = stripPlace(layout, pages, longest);
  if (width === 0) return;
  const { y } = slotPlace(layout, row, 0);
  paintBreak(g, layout.tiles_x - BREAK_PX + 2, y, palette);
  const isKnown = lruPages.sent >= pages;
  if (!isKnown) {
    g.fillStyle = palette[token] ?? "";
    g.fillRect(x, y, width, TILE_HEIGHT_PX);
    return;
  }
  const bins = Math.max(1, Math.min(pages - SLOTS, Math.floor(width / BIN_PX)));
  for (let bin = 0; bin < bins; bin += 1) {
    const left = x + (width * bin) / bins;
    let from = y + TILE_HEIGHT_PX;
    stripBin(lruPages, bin, bins).forEach((share, state) => {
      const high = share * TILE_HEIGHT_PX;
      if (state === FREE || high === 0) return;
      from -= high;
      g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
      g.fillRect(left, from, width / bins + 0.3, high);
    });
  }
}

/** A torn edge marks that the part behind it is drawn at a larger scale. */
function paintBreak(g: CanvasRenderingContext2D, x: number, y: number, palette: Palette) {
  const step = TILE_HEIGHT_PX / 4;
  g.beginPath();
  for (const left of [x, x + 5]) {
    g.moveTo(left, y);
    for (let i = 1; i <= 4; i += 1) g.lineTo(left + (i % 2) * 3, y + i * step);
  }
  g.strokeStyle = palette["rule-2"] ?? "";
  g.lineWidth = 1;
  g.stroke();
}

/** Active pages for each inactive page, with one decimal; null without inactive pages. */
export function activeShare(inactive: number, active: number): string | null {
  if (inactive === 0) return active === 0 ? null : "∞";
  return (active / inactive).toFixed(1);
}
