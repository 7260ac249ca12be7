// A zone's pageblocks as a strip in address order. Each is a box with its pages as tiles, or a
// column of its contents if there is no room for tiles; on a large machine a column is several
// blocks. This file computes the places of blocks and tiles, and the blocks of the compaction
// scanners.

import { size } from "../engine/format";
import type { NodeMap } from "../engine/protocol";
import type { Info, NodeInfo, PageblocksView } from "../engine/types";
import { cellLayout, cellShares } from "./map/cellmap";
import { type MapZone, rangesWithin } from "./map/pagemap";
import { FREE, HUGE, STATES, stateOf } from "./states";

/** A pageblock, or several of a large machine. */
export interface StripCell {
  /** First page frame. */
  readonly pfn: number;
  /** Page frames from its first to its last. */
  readonly span: number;
  /** The number of blocks by migrate type. */
  readonly types: readonly number[];
  /** The number of pages by state. */
  readonly pages: readonly number[];
  /** The state of each existing page, in order; null if only shares are known. */
  readonly states: Uint8Array | null;
  /** Whether the block was allocated whole. */
  readonly isGiven: boolean;
}

/**
 * Page states that compaction cannot move: the kernel's own pages, page tables, and memory of the
 * firmware.
 */
const UNMOVABLE = ["slab", "page-table", "reserved"].map((name) =>
  STATES.findIndex(({ token }) => token === name),
);
const ISOLATED = STATES.findIndex(({ token }) => token === "isolated");

/** Pages of a cell that are free, movable, unmovable, and isolated. */
export interface Contents {
  readonly free: number;
  readonly movable: number;
  readonly unmovable: number;
  readonly isolated: number;
}

/** The contents of a cell. */
export function contentsOf({ pages }: Pick<StripCell, "pages">): Contents {
  const of = (states: readonly number[]) =>
    states.reduce((sum, state) => sum + (pages[state] ?? 0), 0);
  const [free, unmovable, isolated] = [of([FREE]), of(UNMOVABLE), of([ISOLATED])];
  const all = pages.reduce((sum, n) => sum + n, 0);
  return { free, unmovable, isolated, movable: all - free - unmovable - isolated };
}

/** Whether the cell contains only free pages. */
export const isWhole = (cell: StripCell): boolean => contentsOf(cell).free === cell.span;

/** A zone whose blocks are shown, and its node. */
export interface StripOf {
  readonly info: Pick<Info, "pageblock_order" | "migratetypes">;
  readonly node: Pick<NodeInfo, "ranges">;
  /** All zones of the node. */
  readonly zones: readonly MapZone[];
  readonly blocks: PageblocksView;
}

/** The pageblocks of a zone with their pages from the page map. */
export function readStrip(of: StripOf, map: NodeMap): StripCell[] {
  return map.kind === "frames" ? blocksOf(of, map) : columnsOf(of, map);
}

function blocksOf(of: StripOf, map: Extract<NodeMap, { kind: "frames" }>): StripCell[] {
  const { info, node, zones, blocks } = of;
  const zone = zones.find(({ key }) => key === blocks.zone);
  if (!zone) return [];
  const span = 2 ** info.pageblock_order;
  const within = rangesWithin(node.ranges, zone);
  return blocks.types.flatMap(([first, many, type]) =>
    Array.from({ length: many }, (_, i) => {
      const pfn = first + i * span;
      const found = within.flatMap(([from, pages, at]) => {
        const [begin, end] = [Math.max(pfn, from), Math.min(pfn + span, from + pages)];
        return end > begin ? [[at + begin - from, at + end - from] as const] : [];
      });
      const [begin, end] = [found[0]?.[0] ?? 0, found.at(-1)?.[1] ?? 0];
      const states = map.states.subarray(begin, end);
      const isOne = (map.orders[begin] ?? 0) > info.pageblock_order;
      return blockOf(pfn, span, oneOf(type, info), states, isOne);
    }),
  );
}

/** Counts for one block of a type. */
const oneOf = (type: number, { migratetypes }: StripOf["info"]): number[] =>
  migratetypes.map((_, of) => (of === type ? 1 : 0));

function blockOf(
  pfn: number,
  span: number,
  types: readonly number[],
  states: Uint8Array,
  isOne: boolean,
): StripCell {
  const pages = STATES.map(() => 0);
  for (const byte of states) {
    const state = stateOf(byte);
    pages[state] = (pages[state] ?? 0) + 1;
  }
  const isTaken = (pages[FREE] ?? 0) === 0 && (pages[HUGE] ?? 0) === 0;
  return { pfn, span, types, pages, states, isGiven: isOne && isTaken };
}

function columnsOf(of: StripOf, map: Extract<NodeMap, { kind: "cells" }>): StripCell[] {
  const { info, node, zones, blocks } = of;
  const layout = cellLayout({ ranges: node.ranges, zones }, map.span, 1, 1);
  const band = layout.bands.find(({ zone }) => zone === blocks.zone);
  if (!band) return [];
  const typesAt = typesIn(of, map.span);
  return Array.from({ length: band.frames }, (_, i) => {
    const pfn = layout.pfns[band.first + i] ?? 0;
    const pages = cellShares(map.shares, band.first + i).map((share) =>
      Math.round(share * map.span),
    );
    const types = typesAt.get(pfn) ?? info.migratetypes.map(() => 0);
    return { pfn, span: map.span, types, pages, states: null, isGiven: false };
  });
}

/** The number of blocks of each type in each cell of `span` frames. */
function typesIn({ info, blocks }: StripOf, span: number): Map<number, number[]> {
  const block = 2 ** info.pageblock_order;
  const found = new Map<number, number[]>();
  for (const [first, many, type] of blocks.types) {
    for (let pfn = first; pfn < first + many * block; pfn += block) {
      const cell = Math.floor(pfn / span) * span;
      const types = found.get(cell) ?? info.migratetypes.map(() => 0);
      types[type] = (types[type] ?? 0) + 1;
      found.set(cell, types);
    }
  }
  return found;
}

/** Merges neighbours until at most `most` cells are left. */
export function mergeCells(cells: readonly StripCell[], most: number): StripCell[] {
  const many = Math.ceil(cells.length / Math.max(1, most));
  if (many <= 1) return [...cells];
  const sum = (of: readonly (readonly number[])[]) =>
    (of[0] ?? []).map((_, i) => of.reduce((all, each) => all + (each[i] ?? 0), 0));
  const merged: StripCell[] = [];
  for (let at = 0; at < cells.length; at += many) {
    const part = cells.slice(at, at + many);
    const [first, last] = [part[0], part.at(-1)];
    if (!first || !last) continue;
    merged.push({
      pfn: first.pfn,
      span: last.pfn + last.span - first.pfn,
      types: sum(part.map(({ types }) => types)),
      pages: sum(part.map(({ pages }) => pages)),
      states: null,
      isGiven: false,
    });
  }
  return merged;
}

/** The layout of the blocks of a strip; all in px. */
export interface StripLayout {
  readonly width: number;
  readonly height: number;
  /** Blocks in a row, and number of rows. */
  readonly per_row: number;
  readonly rows: number;
  /** Distance from row to row, and from a row's top to its boxes: paths of pages run there. */
  readonly row_px: number;
  readonly top_px: number;
  /** Distance from block to block, width and height of a box. */
  readonly block_px: number;
  readonly box_px: number;
  readonly high_px: number;
  /** Tiles side by side in a block, and their size; 0 columns if there is no space for tiles. */
  readonly columns: number;
  readonly tile: readonly [width: number, height: number];
}

/** The pageblock size of most machines, bytes. */
export const USUAL_BLOCK = 2 ** 21;
/** A shorter bar is not visible. */
const LEAST_BAR_PX = 2;

/** Two blocks of different sizes, for comparison. */
export interface ScaleBars {
  readonly pair: readonly { readonly name: string; readonly px: number }[];
  /** The magnification relative to the strip. */
  readonly times: number;
}

/**
 * A block of most machines and one of this machine, at the strip's scale or enlarged until the
 * shorter one is visible; null if both have the same size.
 */
export function scaleBars(
  { block_px }: Pick<StripLayout, "block_px">,
  cells: readonly Pick<StripCell, "span">[],
  { pageblock_order, page_size }: Pick<Info, "pageblock_order" | "page_size">,
): ScaleBars | null {
  const own = 2 ** pageblock_order * page_size;
  const span = Math.max(0, ...cells.map((cell) => cell.span)) * page_size;
  if (own <= USUAL_BLOCK || span === 0) return null;
  const pxOf = (bytes: number) => (block_px * bytes) / span;
  const times = Math.max(1, Math.ceil(LEAST_BAR_PX / pxOf(USUAL_BLOCK)));
  const pair = [USUAL_BLOCK, own].map((bytes) => ({
    name: size(bytes / page_size, page_size),
    px: times * pxOf(bytes),
  }));
  return { pair, times };
}

/** Room above the boxes for paths and the band of types, and below them for scanners. */
const WAYS_PX = 17;
export const TYPES_PX = 6;
export const SCANNERS_PX = 19;
const TOP_PX = WAYS_PX + TYPES_PX;
/** Smaller tiles are unreadable; narrower blocks become columns, and then are merged. */
const LEAST_TILE_PX = 2;
const LEAST_COLUMN_PX = 3;
const GAP_PX = 2;

/** The most blocks that fit side by side. */
export const mostColumns = (width: number): number =>
  Math.max(1, Math.floor(width / LEAST_COLUMN_PX));

/**
 * Lays out `blocks` boxes of `pages` pages each in a width: in one row, or in as many rows as the
 * boxes need to be `wide_px` wide.
 */
export function stripLayout(
  blocks: number,
  pages: number,
  { width, high_px, wide_px = 0 }: { width: number; high_px: number; wide_px?: number },
): StripLayout {
  const rows = wide_px > 0 ? Math.max(1, Math.ceil((blocks * wide_px) / width)) : 1;
  const per_row = Math.max(1, Math.ceil(blocks / rows));
  // Whole pixels if a box has at least one.
  const exact = width / per_row;
  const block_px = exact >= 6 ? Math.floor(exact) : exact;
  const gap = block_px >= 6 ? GAP_PX : block_px >= 4 ? 1 : 0;
  const { columns, tile } = tilesIn(pages, block_px - gap, high_px);
  const box_px = columns > 0 ? columns * tile[0] : block_px - gap;
  const high = columns > 0 ? Math.ceil(pages / columns) * tile[1] : high_px;
  const row_px = TOP_PX + high + SCANNERS_PX;
  return {
    width: Math.min(width, Math.ceil((per_row - 1) * block_px + box_px)),
    height: rows * row_px,
    per_row,
    rows,
    row_px,
    top_px: TOP_PX,
    block_px,
    box_px,
    high_px: high,
    columns,
    tile,
  };
}

/** The largest tiles with which all pages fit, as square as possible. */
function tilesIn(
  pages: number,
  width: number,
  height: number,
): Pick<StripLayout, "columns" | "tile"> {
  let best: Pick<StripLayout, "columns" | "tile"> & { least: number } = {
    columns: 0,
    tile: [0, 0],
    least: 0,
  };
  for (let columns = 1; columns <= width / LEAST_TILE_PX; columns *= 2) {
    const wide = Math.floor(width / columns);
    const high = Math.min(Math.floor(height / Math.ceil(pages / columns)), wide * 2);
    const least = Math.min(wide, high);
    if (least > Math.max(best.least, LEAST_TILE_PX - 1)) {
      best = { columns, tile: [wide, high], least };
    }
  }
  return { columns: best.columns, tile: best.tile };
}

/** A point of the strip. */
export interface StripPoint {
  readonly x: number;
  readonly y: number;
}

/** Top left corner of a block's box. */
export function boxAt(layout: StripLayout, cell: number): StripPoint {
  const { per_row, block_px, row_px, top_px } = layout;
  return {
    x: (cell % per_row) * block_px,
    y: Math.floor(cell / per_row) * row_px + top_px,
  };
}

/** The block of a page frame; null if no memory exists there. */
export function cellOf(cells: readonly StripCell[], pfn: number): number | null {
  const at = cells.findIndex((cell) => pfn >= cell.pfn && pfn < cell.pfn + cell.span);
  return at < 0 ? null : at;
}

/** The block of a scanner: the last or the first one if it has left the zone. */
export function scannerCell(cells: readonly StripCell[], pfn: number): number {
  const at = cells.findLastIndex((cell) => pfn >= cell.pfn);
  return Math.max(0, at);
}

/** The block at a point. */
export function cellAtPoint(
  layout: StripLayout,
  cells: number,
  { x, y }: StripPoint,
): number | null {
  const { per_row, rows, block_px, row_px } = layout;
  const [column, row] = [Math.floor(x / block_px), Math.floor(y / row_px)];
  if (column < 0 || column >= per_row || row < 0 || row >= rows) return null;
  const cell = row * per_row + column;
  return cell < cells ? cell : null;
}

/** The middle of a page's tile; in a block without tiles the middle of its top. */
export function pagePoint(
  layout: StripLayout,
  cells: readonly StripCell[],
  pfn: number,
): StripPoint | null {
  const cell = cellOf(cells, pfn);
  const of = cell === null ? undefined : cells[cell];
  if (cell === null || !of) return null;
  const { x, y } = boxAt(layout, cell);
  const { columns, tile, box_px } = layout;
  if (columns === 0) return { x: x + box_px / 2, y };
  const at = pfn - of.pfn;
  return {
    x: x + ((at % columns) + 0.5) * tile[0],
    y: y + (Math.floor(at / columns) + 0.5) * tile[1],
  };
}

/**
 * A path over the blocks: up from a page, along the space above the row, and down to the target.
 */
export function movePath({ row_px }: StripLayout, from: StripPoint, to: StripPoint): string {
  const up = Math.floor(Math.min(from.y, to.y) / row_px) * row_px + 3;
  const along = to.x > from.x ? 1 : -1;
  const bend = Math.min(12, Math.abs(to.x - from.x) / 2) * along;
  const n = (value: number) => Number(value.toFixed(1));
  return [
    `M${n(from.x)} ${n(from.y)}V${up + 8}`,
    `Q${n(from.x)} ${up} ${n(from.x + bend)} ${up}`,
    `H${n(to.x - bend)}`,
    `Q${n(to.x)} ${up} ${n(to.x)} ${up + 8}V${n(to.y)}`,
  ].join("");
}

/** A section of a row, px from the left. */
export interface Track {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** The blocks between two blocks, row by row: what a scanner has scanned. */
export function tracks(layout: StripLayout, first: number, last: number): Track[] {
  const { per_row, block_px, box_px } = layout;
  const found: Track[] = [];
  for (let row = Math.floor(first / per_row); row <= Math.floor(last / per_row); row += 1) {
    const from = Math.max(first, row * per_row) % per_row;
    const to = Math.min(last, (row + 1) * per_row - 1) % per_row;
    if (last >= first) found.push({ row, from: from * block_px, to: to * block_px + box_px });
  }
  return found;
}
