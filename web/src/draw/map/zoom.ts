// The levels of a page map: their layouts, and the points that stay fixed between two levels.

import { type CellLayout, type CellNode, cellLayout } from "./cellmap";
import type { Point, Port } from "./levels";
import { framePlace, stackBands, type TileLayout } from "./pagemap";

/** The size of a cell for a pageblock. */
const ZONE_CELL_PX = 22;

/**
 * The pageblocks of a node, in the rows of its map: if one cell of the map is several blocks, the
 * row has as many cells instead, including holes.
 */
export function zoneLayout(node: CellLayout, pageblock: number): CellLayout {
  const each = node.span / pageblock;
  const parts = node.bands.map((band) => ({
    ...band,
    first: band.first * each,
    frames: band.frames * each,
  }));
  const pfns = new Array<number>(node.pfns.length * each);
  for (const [cell, pfn] of node.pfns.entries()) {
    for (let i = 0; i < each; i += 1) pfns[cell * each + i] = pfn + i * pageblock;
  }
  return { ...stackBands(parts, node.columns * each, ZONE_CELL_PX), span: pageblock, pfns };
}

/** For each cell of a {@link zoneLayout}, its index among the cells the engine counts; -1 for a
 * hole. */
export function countedCells(layout: CellLayout, node: CellNode): Int32Array {
  const counted = cellLayout(node, layout.span, 1, 1);
  const places = new Int32Array(layout.pfns.length).fill(-1);
  for (const band of layout.bands) {
    const engine = counted.bands.find(({ zone }) => zone === band.zone);
    if (!engine) continue;
    let at = engine.first;
    for (let cell = band.first; cell < band.first + band.frames; cell += 1) {
      if (at >= engine.first + engine.frames || counted.pfns[at] !== layout.pfns[cell]) continue;
      places[cell] = at;
      at += 1;
    }
  }
  return places;
}

const WIDEST_TILE_PX = 28;
/** Flags are drawn on tiles of at least this size. */
export const GLYPH_TILE_PX = 14;
const SMALLEST_TILE_PX = 8;

/** A row of pages. */
export const rowLayout = (pages: number, tile_px: number): TileLayout => ({
  columns: pages,
  tile_px,
  width: pages * tile_px,
  height: tile_px,
  bands: [{ zone: "", name: "", first: 0, frames: pages, first_pfn: 0, y: 0 }],
});

/**
 * The pages of one pageblock in address order. A row is a power of two, so that a buddy takes whole
 * rows or lies within one. Tiles are as large as fits in the view, but large enough for their
 * flags, so a long block scrolls; with touch input the whole block is shown at once.
 */
export function blockLayout(
  { width, height }: Pick<Port, "width" | "height">,
  first_pfn: number,
  pages: number,
  isWhole: boolean,
): TileLayout {
  const sizes: { columns: number; tile_px: number; isIn: boolean }[] = [];
  for (let columns = 4; columns <= 1024; columns *= 2) {
    const tile_px = Math.min(WIDEST_TILE_PX, Math.floor(width / columns));
    if (tile_px < SMALLEST_TILE_PX) break;
    sizes.push({ columns, tile_px, isIn: Math.ceil(pages / columns) * tile_px <= height });
  }
  const clear = sizes.filter(({ tile_px }) => isWhole || tile_px >= GLYPH_TILE_PX);
  const { columns, tile_px } = clear.find(({ isIn }) => isIn) ??
    clear.at(-1) ?? { columns: 4, tile_px: SMALLEST_TILE_PX };
  const band = { zone: "", name: "", first: 0, frames: pages, first_pfn, y: 0 };
  return {
    columns,
    tile_px,
    width: columns * tile_px,
    height: Math.ceil(pages / columns) * tile_px,
    bands: [band],
  };
}

/** Converts a point to another layout with the same rows and larger cells. */
export function carried(from: TileLayout, to: TileLayout, { x, y }: Point): Point {
  const b = Math.max(
    0,
    from.bands.findLastIndex((band) => y >= band.y),
  );
  const [was, is] = [from.bands[b], to.bands[b]];
  if (!was || !is) return { x, y };
  const rows = Math.ceil(is.frames / to.columns);
  const inside = Math.min(y - was.y, rows * from.tile_px);
  // Headings have the same height at every level; only the cells below them grow.
  const grown = inside < 0 ? inside : (inside * to.tile_px) / from.tile_px;
  const rest = y - was.y - inside;
  return { x: (x * to.width) / from.width, y: is.y + grown + rest };
}

/** The part nearest to `port` that shows as little as possible outside the layout. */
export function clamped(layout: Pick<TileLayout, "width" | "height">, port: Port): Port {
  const within = (at: number, room: number, whole: number) =>
    Math.max(0, Math.min(at, whole - room));
  return {
    ...port,
    x: within(port.x, port.width, layout.width),
    y: within(port.y, port.height, layout.height),
  };
}

/** The part of a layout for which a place appears at a given point of the view. */
export const portAt = (
  layout: TileLayout,
  place: Point,
  at: Point,
  { width, height }: Pick<Port, "width" | "height">,
): Port => clamped(layout, { x: place.x - at.x, y: place.y - at.y, width, height });

/** The middle of a cell. */
export function middleOf(layout: TileLayout, index: number): Point {
  const { x, y } = framePlace(layout, index) ?? { x: 0, y: 0 };
  return { x: x + layout.tile_px / 2, y: y + layout.tile_px / 2 };
}

/** The part of a layout nearest to `port` in which a cell is completely visible. */
export function revealed(layout: TileLayout, port: Port, index: number): Port {
  const place = framePlace(layout, index);
  if (!place) return port;
  const { tile_px } = layout;
  const near = (at: number, from: number, room: number) =>
    Math.max(Math.min(from, at), at + tile_px - room);
  return clamped(layout, {
    ...port,
    x: near(place.x, port.x, port.width),
    y: near(place.y, port.y, port.height),
  });
}

/** The position of a mark at the edge for an item outside the view; null if the item is inside. */
export function edgeMark({ x, y, width, height }: Port, place: Point, margin: number) {
  const at = { x: place.x - x, y: place.y - y };
  const inside = at.x >= 0 && at.x <= width && at.y >= 0 && at.y <= height;
  if (inside) return null;
  const edge = {
    x: Math.max(margin, Math.min(at.x, width - margin)),
    y: Math.max(margin, Math.min(at.y, height - margin)),
  };
  const turn_deg = (Math.atan2(at.y - edge.y, at.x - edge.x) * 180) / Math.PI;
  return { ...edge, turn_deg };
}
