// The texts of the page maps, and descriptions of their pages and cells.

import { type CellLayout, cellFilled } from "../../draw/map/cellmap";
import { blockOf, pfnOf, type TileLayout } from "../../draw/map/pagemap";
import { isMarked, STATES, stateOf, stateWords } from "../../draw/states";
import { count, counted, hex, orderWords, percent, size, zoneWords } from "../../engine/format";
import type { NodeMap } from "../../engine/protocol";
import type { Info, NodeInfo, ZoneView } from "../../engine/types";

/** A page of a small machine: "0x1f, DMA on node 0: free, in the block of order 3 at 0x18". */
export function frameWords(
  layout: TileLayout,
  map: Extract<NodeMap, { kind: "frames" }>,
  node: NodeInfo,
  page_size: number,
  index: number,
): string {
  const band = layout.bands.find((b) => index >= b.first && index < b.first + b.frames);
  const state = stateWords(stateOf(map.states[index] ?? 0));
  const { head, order } = blockOf(map.orders, index);
  const block =
    order > 0
      ? `, in the block of ${orderWords(order, page_size)} at ${hex(pfnOf(node.ranges, head))}`
      : "";
  const marked = isMarked(map.states[index] ?? 0)
    ? ", marked: the next access takes a hinting fault"
    : "";
  return `${hex(pfnOf(node.ranges, index))}, ${band ? zoneWords(band.zone) : ""}: ${state}${marked}${block}`;
}

/** A cell's size: "one pageblock of 2 MiB", "4 pageblocks, 8 MiB". */
export function spanWords(span: number, { pageblock_order, page_size }: Info): string {
  const blocks = span / 2 ** pageblock_order;
  return blocks === 1
    ? `one pageblock of ${size(span, page_size)}`
    : `${counted(blocks, "pageblock")}, ${size(span, page_size)}`;
}

/** A cell's frames, zone and contents: "0x1000 to 0x11ff, DMA32 on node 0: 97 % free, 3 % slab". */
export function cellWords(
  layout: CellLayout,
  zones: readonly ZoneView[],
  { page_size }: Info,
  shares: readonly number[],
  cell: number,
): string {
  const band = layout.bands.find((b) => cell >= b.first && cell < b.first + b.frames);
  const zone = zones.find(({ key }) => key === band?.zone);
  const start = layout.pfns[cell];
  if (!zone || start === undefined) return "";
  const from = Math.max(start, zone.start_pfn);
  const to = Math.min(start + layout.span, zone.start_pfn + zone.spanned);
  const filled = cellFilled(shares);
  const pages = Math.round(filled * layout.span);
  const missing = to - from - pages;
  const holds = shares
    .map((share, state) => ({ share: share / (filled || 1), words: STATES[state]?.words ?? "" }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .map(({ share, words }) => `${percent(share)} ${words}`);
  // Shares are rounded, so one or two missing pages do not mean a hole.
  if (missing > layout.span / 500) holds.push(`${size(missing, page_size)} not present`);
  return `${hex(from)} to ${hex(to - 1)}, ${zoneWords(zone.key)}: ${holds.join(", ")}`;
}

/**
 * `Crumbs.tsx`: Breadcrumb links, each one level further out: node 0 / DMA32 / block 663 / 0x52fcb.
 */
export const CRUMBS = {
  wherePageMap: (id: number) => `Location in the page map of node ${id}`,
} as const;

/** `EdgeMarks.tsx`: Arrows at the nearest edge for pages of this node that are outside the view. */
export const EDGE_MARKS = {
  isOutsideView: (pfn: number) => `${hex(pfn)} is outside the view`,
} as const;

/** `MapGrid.tsx`: The map's cursor for pointer and keyboard; screen readers ignore the picture inside. */
export const MAP_GRID = {
  noCellSelected: "no cell selected",
  keys: (map: string) => `${map}; arrow keys move from cell to cell`,
  zoomable: (map: string) => `${map}; arrow keys move from cell to cell, Enter zooms in`,
} as const;

/** `MapMarks.tsx`: Zone headings, the pages of the last step, and hovered or selected items. */
export const MAP_MARKS = {
  onNode: (node: number) => `on node ${node}`,
  firstFromPfn: (first_pfn: number) => `from ${hex(first_pfn)}`,
} as const;

/** `PageCard.tsx`: One page in words: its state, its place, what comes next, and actions. */
export const PAGE_CARD = {
  page: (pfn: number, state: string) => `Page ${hex(pfn)}: ${state}`,
  flags: "flags",
  stopWhenItChanges: "Stop when it changes",
  lastChange: "Last change",
  history: "History",
} as const;

/** `StateTable.tsx`: The map's contents as a table, for screen readers. */
export const STATE_TABLE = {
  pagesOfNode: (node: number) => `Pages of node ${node} by zone and state`,
  zone: "zone",
  cells: "cells",
  cellsOfSeveralStates: "cells of several states",
} as const;

/** `ZoomMap.tsx`: A node's memory as a picture, from the whole node to one page, with a line that describes the cell under the pointer. */
export const ZOOM_MAP = {
  pageArrowKeysOther: (pfn: number) => `Page ${hex(pfn)}; arrow keys: other pages, Esc: back`,
} as const;

/** `node-scene.tsx`: The zones of a node; the same array until one changes. */
export const NODE_SCENE = {
  tapToZoomIn: "; tap to zoom in",
  doubleClickToZoomIn: "; double-click to zoom in",
  outlinedAreasAreFreeBlocks: "; outlined areas are free blocks",
  pageMapOfNode: (id: number) => `Page map of node ${id}`,
  eachTile: (page_size: number, tiles: number, areas: string, how: string) =>
    `Each tile is a page of ${size(1, page_size)}, each row ${size(tiles, page_size)}${areas}${how}`,
  eachCellIsEachRow: (span: string, value: number, page_size: number, how: string) =>
    `Each cell is ${span}, each row ${size(value, page_size)}${how}`,
} as const;

/** `zoom-scene.tsx`: The scene of a zoomed map with the engine's answer; null before it. */
export const ZOOM_SCENE = {
  pageblocksOfNode: (id: number) => `Pageblocks of node ${id}`,
  eachCellIsPageblock: (pages: number, page_size: number) =>
    `Each cell is a pageblock of ${size(pages, page_size)}, stacked by page state; lines separate free blocks`,
  pagesOfBlock: (value: number, holds: string) => `Pages of block ${count(value)}: ${holds}`,
  pagesEachTile: (type: string | undefined, page_size: number, columns: number) =>
    `${type ? `A pageblock for ${type} pages. ` : ""}Each tile is a page of ${size(1, page_size)}, each row ${size(columns, page_size)}`,
} as const;
