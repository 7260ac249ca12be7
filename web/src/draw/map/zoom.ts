// From level to level of a page map: the layouts, and what stays where when one follows the other.

import { type CellLayout, type CellNode, cellLayout } from "./cellmap";
import type { Point, Port } from "./levels";
import { framePlace, stackBands, type TileLayout } from "./pagemap";

/** A pageblock as a cell. */
const ZONE_CELL_PX = 22;

/**
 * The pageblocks of a node, in the rows of its map: where one cell of the map is several blocks,
 * as many cells follow each other in the row, holes among them.
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

/** Of each cell of a {@link zoneLayout}, its place among those the engine counts; -1 for a hole. */
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
/** Flags are drawn on tiles of this size and up. */
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
 * The pages of one pageblock in address order. A row is a power of two, so that a buddy is whole
 * rows or lies in one. Tiles are as large as fit in view; but large enough for their flags, so that
 * a long block is pushed up and down, except where fingers want all of it at once.
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

/** A place of one layout in another whose cells have the same rows and are larger. */
export function carried(from: TileLayout, to: TileLayout, { x, y }: Point): Point {
  const b = Math.max(
    0,
    from.bands.findLastIndex((band) => y >= band.y),
  );
  const [was, is] = [from.bands[b], to.bands[b]];
  if (!was || !is) return { x, y };
  const rows = Math.ceil(is.frames / to.columns);
  const inside = Math.min(y - was.y, rows * from.tile_px);
  // Headings have one height at every level; only what is below them grows.
  const grown = inside < 0 ? inside : (inside * to.tile_px) / from.tile_px;
  const rest = y - was.y - inside;
  return { x: (x * to.width) / from.width, y: is.y + grown + rest };
}

/** The part nearest to `port` that shows no more of the outside than it must. */
export function clamped(layout: Pick<TileLayout, "width" | "height">, port: Port): Port {
  const within = (at: number, room: number, whole: number) =>
    Math.max(0, Math.min(at, whole - room));
  return {
    ...port,
    x: within(port.x, port.width, layout.width),
    y: within(port.y, port.height, layout.height),
  };
}

/** The part of a layout in which a place of it lies at a point of the view. */
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

/** The part of a layout nearest to `port` in which a cell is whole. */
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

/** Where a mark at the edge says that something lies outside the view; none where it is inside. */
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
