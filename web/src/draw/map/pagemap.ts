// The page map of a small machine: the position of each frame, the frame at a point, and the
// painting. Pixels are CSS pixels; frames are counted from the first existing frame of the node.

import { FREE, isMarked, STATES, stateOf } from "../states";
import { hatchPieces, type Palette, paintPieces, tilePieces } from "../tile";

/** A zone's part of the map: a run of frames under a heading. */
export interface MapBand {
  /** Zone key. */
  readonly zone: string;
  readonly name: string;
  /** First frame, as an index into the node's page-state array. */
  readonly first: number;
  readonly frames: number;
  /** The page frame number of the first frame. */
  readonly first_pfn: number;
  /** Top of the tiles. */
  readonly y: number;
}

/** Bands of tiles below each other; tiles are in address order, row by row. */
export interface TileLayout {
  readonly columns: number;
  readonly tile_px: number;
  readonly width: number;
  readonly height: number;
  readonly bands: readonly MapBand[];
}

/** The data of a zone that the layout needs. */
export interface MapZone {
  readonly key: string;
  readonly name: string;
  readonly start_pfn: number;
  readonly spanned: number;
}

/** Height of a band's heading. */
const BAND_HEAD_PX = 14;
const BAND_GAP_PX = 3;

/** Stacks bands with the given numbers of tiles. */
export function stackBands(
  parts: readonly Omit<MapBand, "y">[],
  columns: number,
  tile_px: number,
): TileLayout {
  let y = 0;
  const bands = parts.map((part) => {
    const band = { ...part, y: y + BAND_HEAD_PX };
    y = band.y + Math.ceil(part.frames / columns) * tile_px + BAND_GAP_PX;
    return band;
  });
  return {
    columns,
    tile_px,
    width: columns * tile_px,
    height: Math.max(0, y - BAND_GAP_PX),
    bands,
  };
}

/** The parts of a node's ranges inside a zone: [first pfn, pages, index of the first frame]. */
export function rangesWithin(
  ranges: readonly (readonly [number, number])[],
  { start_pfn, spanned }: MapZone,
): [number, number, number][] {
  const within: [number, number, number][] = [];
  let before = 0;
  for (const [start, pages] of ranges) {
    const from = Math.max(start, start_pfn);
    const to = Math.min(start + pages, start_pfn + spanned);
    if (to > from) within.push([from, to - from, before + from - start]);
    before += pages;
  }
  return within;
}

/** Splits a node's existing ranges into bands by zone and stacks them. */
export function frameLayout(
  ranges: readonly (readonly [number, number])[],
  zones: readonly MapZone[],
  columns: number,
  tile_px: number,
): TileLayout {
  const parts = zones.flatMap((zone) => {
    const within = rangesWithin(ranges, zone);
    const [first_pfn, , first] = within[0] ?? [];
    if (first_pfn === undefined || first === undefined) return [];
    const frames = within.reduce((sum, [, pages]) => sum + pages, 0);
    return [{ zone: zone.key, name: zone.name, first, frames, first_pfn }];
  });
  return stackBands(parts, columns, tile_px);
}

/** The tile above or below another; at the end of a band, one in the next band. */
export function tileBelow(
  { bands, columns }: TileLayout,
  index: number,
  direction: 1 | -1,
): number {
  const b = bands.findIndex(({ first, frames }) => index >= first && index < first + frames);
  const band = bands[b];
  if (!band) return index;
  const at = index - band.first;
  const next = at + direction * columns;
  if (next >= 0 && next < band.frames) return band.first + next;
  const lastRow = (frames: number) => Math.floor((frames - 1) / columns) * columns;
  if (direction > 0 && at < lastRow(band.frames)) return band.first + band.frames - 1;
  const other = bands[b + direction];
  if (!other) return index;
  const row = direction > 0 ? 0 : lastRow(other.frames);
  return other.first + Math.min(row + (at % columns), other.frames - 1);
}

/** Top left corner of a frame's tile, by its index. */
export function framePlace(layout: TileLayout, index: number): { x: number; y: number } | null {
  const band = layout.bands.find((b) => index >= b.first && index < b.first + b.frames);
  if (!band) return null;
  const at = index - band.first;
  return {
    x: (at % layout.columns) * layout.tile_px,
    y: band.y + Math.floor(at / layout.columns) * layout.tile_px,
  };
}

/** The frame at a point, or null. */
export function frameAt(layout: TileLayout, x: number, y: number): number | null {
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

/** The frame index of a page frame number, or null if it does not exist on the node. */
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
  layout: TileLayout,
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
      if (isMarked(states[i] ?? 0)) paintPieces(g, hatchPieces(place.x, place.y, inner), palette);
    }
    paintFree(g, layout, band, states, orders, palette);
  }
}

/** Free pages: one plain area per block, so that blocks stand out instead of single pages. */
function paintFree(
  g: CanvasRenderingContext2D,
  layout: TileLayout,
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
export function blockBoxes(layout: TileLayout, from: number, to: number) {
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
