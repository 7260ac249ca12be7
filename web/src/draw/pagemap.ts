// The page map: where each frame of a small machine, or each span of a big one, is drawn, what lies
// under a point, and the painting itself. Pixels are CSS pixels, frames are counted from the first
// frame of the node that exists.

import { FREE, HUGE, isHead, STATES, stateOf } from "./states";
import { type Palette, paintPieces, tilePieces } from "./tile";

/** A zone's part of the map: a run of frames under a heading. */
export interface MapBand {
  /** Zone key. */
  readonly zone: string;
  readonly name: string;
  /** First frame, as an index into the node's page-state array. */
  readonly first: number;
  readonly frames: number;
  /** Its page frame number. */
  readonly first_pfn: number;
  /** Top of the tiles. */
  readonly y: number;
}

/** Layout of a small machine's map: every frame a tile, row by row in address order. */
export interface FrameLayout {
  readonly columns: number;
  readonly tile_px: number;
  readonly width: number;
  readonly height: number;
  readonly bands: readonly MapBand[];
}

/** What the layout needs to know of a zone. */
export interface MapZone {
  readonly key: string;
  readonly name: string;
  readonly start_pfn: number;
  readonly spanned: number;
}

/** Height of a band's heading. */
export const BAND_HEAD_PX = 14;
const BAND_GAP_PX = 3;

/** Splits a node's existing ranges into bands by zone and stacks them. */
export function frameLayout(
  ranges: readonly (readonly [number, number])[],
  zones: readonly MapZone[],
  columns: number,
  tile_px: number,
): FrameLayout {
  const bands: MapBand[] = [];
  let y = 0;
  for (const zone of zones) {
    let first = 0;
    let frames = 0;
    let before = 0;
    let first_pfn = 0;
    for (const [start, pages] of ranges) {
      const from = Math.max(start, zone.start_pfn);
      const to = Math.min(start + pages, zone.start_pfn + zone.spanned);
      if (to > from) {
        if (frames === 0) {
          first = before + from - start;
          first_pfn = from;
        }
        frames += to - from;
      }
      before += pages;
    }
    if (frames === 0) continue;
    y += BAND_HEAD_PX;
    bands.push({ zone: zone.key, name: zone.name, first, frames, first_pfn, y });
    y += Math.ceil(frames / columns) * tile_px + BAND_GAP_PX;
  }
  return {
    columns,
    tile_px,
    width: columns * tile_px,
    height: Math.max(0, y - BAND_GAP_PX),
    bands,
  };
}

/** Top left corner of a frame's tile, by its index. */
export function framePlace(layout: FrameLayout, index: number): { x: number; y: number } | null {
  const band = layout.bands.find((b) => index >= b.first && index < b.first + b.frames);
  if (!band) return null;
  const at = index - band.first;
  return {
    x: (at % layout.columns) * layout.tile_px,
    y: band.y + Math.floor(at / layout.columns) * layout.tile_px,
  };
}

/** The frame under a point, or none. */
export function frameAt(layout: FrameLayout, x: number, y: number): number | null {
  const column = Math.floor(x / layout.tile_px);
  if (column < 0 || column >= layout.columns) return null;
  for (const band of layout.bands) {
    const at = Math.floor((y - band.y) / layout.tile_px) * layout.columns + column;
    if (y >= band.y && at < band.frames) return band.first + at;
  }
  return null;
}

/** The page frame number of a frame index, from the node's ranges. */
export function pfnOf(ranges: readonly (readonly [number, number])[], index: number): number {
  let left = index;
  for (const [start, pages] of ranges) {
    if (left < pages) return start + left;
    left -= pages;
  }
  return Number.NaN;
}

/** The frame index of a page frame number, or none when it does not exist on the node. */
export function indexOfPfn(
  ranges: readonly (readonly [number, number])[],
  pfn: number,
): number | null {
  let before = 0;
  for (const [start, pages] of ranges) {
    if (pfn >= start && pfn < start + pages) return before + pfn - start;
    before += pages;
  }
  return null;
}

/** The block a frame belongs to: its head frame and its order. */
export function blockOf(orders: Uint8Array, index: number): { head: number; order: number } {
  for (let order = 0; order < 16; order += 1) {
    const head = index - (index % 2 ** order);
    const value = orders[head] ?? 0;
    if (value > 0 && head + 2 ** (value - 1) > index) return { head, order: value - 1 };
  }
  return { head: index, order: 0 };
}

/** Paints every frame as a tile and outlines each free block of order above 0. */
export function paintFrames(
  g: CanvasRenderingContext2D,
  layout: FrameLayout,
  states: Uint8Array,
  orders: Uint8Array,
  palette: Palette,
): void {
  const { tile_px } = layout;
  const inner = tile_px - 1;
  for (const band of layout.bands) {
    for (let i = band.first; i < band.first + band.frames; i += 1) {
      const state = stateOf(states[i] ?? 0);
      const place = framePlace(layout, i);
      if (!place || state === FREE) continue;
      const token = STATES[state]?.token ?? "reserved";
      paintPieces(g, tilePieces(token, place.x, place.y, inner, inner), palette);
    }
    paintFree(g, layout, band, states, orders, palette);
  }
}

/** Free pages: one calm area a block, so that the buddies and not the pages catch the eye. */
function paintFree(
  g: CanvasRenderingContext2D,
  layout: FrameLayout,
  band: MapBand,
  states: Uint8Array,
  orders: Uint8Array,
  palette: Palette,
): void {
  const end = band.first + band.frames;
  let i = band.first;
  while (i < end) {
    if (stateOf(states[i] ?? 0) !== FREE) {
      i += 1;
      continue;
    }
    const order = Math.max(0, (orders[i] ?? 0) - 1);
    const last = Math.min(i + 2 ** order, end);
    for (const box of blockBoxes(layout, i, last)) {
      g.fillStyle = palette.free ?? "";
      g.fillRect(box.x, box.y, box.w - 1, box.h - 1);
      g.strokeStyle = palette["rule-2"] ?? "";
      g.lineWidth = 1;
      g.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 2, box.h - 2);
    }
    i = last;
  }
}

/** The rectangles that cover frames `from` up to but not including `to`, at most three. */
export function blockBoxes(layout: FrameLayout, from: number, to: number) {
  const { columns, tile_px } = layout;
  const band = layout.bands.find((b) => from >= b.first && from < b.first + b.frames);
  if (!band) return [];
  const boxes: { x: number; y: number; w: number; h: number }[] = [];
  let at = from - band.first;
  const end = Math.min(to, band.first + band.frames) - band.first;
  while (at < end) {
    const column = at % columns;
    const rows = column === 0 ? Math.max(1, Math.floor((end - at) / columns)) : 1;
    const width =
      rows > 1 || end - at >= columns ? columns - column : Math.min(columns - column, end - at);
    boxes.push({
      x: column * tile_px,
      y: band.y + Math.floor(at / columns) * tile_px,
      w: width * tile_px,
      h: rows * tile_px,
    });
    at += column === 0 && width === columns ? rows * columns : width;
  }
  return boxes;
}

/** Huge pages and other large blocks are one merged tile; this tells where one begins. */
export const isHugeHead = (byte: number): boolean => stateOf(byte) === HUGE && isHead(byte);

/** Layout of a big machine's map: equal spans, column by column, each a small stack. */
export interface CellLayout {
  readonly columns: number;
  readonly rows: number;
  readonly cell_px: number;
}

/** Number of state counts of one cell. */
const COUNTS = 12;

/** Where a cell is drawn. Addresses run left to right, down each column first. */
export function cellPlace({ rows, cell_px }: CellLayout, cell: number): { x: number; y: number } {
  return { x: Math.floor(cell / rows) * cell_px, y: (cell % rows) * cell_px };
}

/** The cell under a point, or none. */
export function cellAt(
  { columns, rows, cell_px }: CellLayout,
  x: number,
  y: number,
): number | null {
  const column = Math.floor(x / cell_px);
  const row = Math.floor(y / cell_px);
  const isInside = column >= 0 && column < columns && row >= 0 && row < rows;
  return isInside ? column * rows + row : null;
}

/** Shares (0 to 1) of each state in a cell. */
export function cellShares(shares: Uint16Array, cell: number): number[] {
  const counts = Array.from(shares.subarray(cell * COUNTS, (cell + 1) * COUNTS));
  const sum = counts.reduce((a, b) => a + b, 0);
  return counts.map((value) => (sum > 0 ? value / sum : 0));
}

/** Paints every cell as a stack of what it holds, by area, in legend order from the bottom. */
export function paintCells(
  g: CanvasRenderingContext2D,
  layout: CellLayout,
  shares: Uint16Array,
  palette: Palette,
): void {
  const inner = layout.cell_px - 1;
  for (let cell = 0; cell < layout.columns * layout.rows; cell += 1) {
    const parts = cellShares(shares, cell);
    const { x, y } = cellPlace(layout, cell);
    let from = 0;
    let sum = 0;
    for (const [state, share] of parts.entries()) {
      if (share === 0) continue;
      sum += share;
      // Rounding the running sum, not each part, makes the parts fill the cell exactly.
      const to = Math.max(Math.round(sum * inner), share > 0.04 ? from + 1 : from);
      g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
      g.fillRect(x, y + inner - Math.min(inner, to), inner, Math.min(inner, to) - from);
      from = Math.min(inner, to);
    }
  }
}
