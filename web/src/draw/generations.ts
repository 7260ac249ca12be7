// The generations of the multi-generational LRU as columns by age: the youngest is left, and the
// oldest, from which reclaim takes pages, is right, as the tails of the classic lists are. A column
// has a cell for file pages and one for anonymous pages. The pages that are evicted first are drawn
// as tiles at the right end of a cell; a strip on their left shows the rest.

import type { GenerationsView } from "../engine/types";
import { type HandPage, handToken, type LruPage, type LruPages, lruPage } from "./lru-lists";
import { FREE, STATES } from "./states";
import { type Palette, paintPieces, tilePieces } from "./tile";

/** The types in drawing order, by the engine's index. */
export const GEN_TYPES = [
  { type: 1, words: "file", young: "file-active", old: "file-inactive" },
  { type: 0, words: "anon", young: "anon-active", old: "anon-inactive" },
] as const;
/** The most generations that exist at the same time. */
export const GEN_COLUMNS = 4;
/** The row below the types: isolated pages. */
export const GEN_HAND_ROW = GEN_TYPES.length;
/** Number of types in the engine's array. */
const TYPES = 2;

/** A page of a generation. */
interface GenPage extends LruPage {
  /** 0 if it is used through page tables alone; higher if it was read or written through files. */
  readonly tier: number;
}

/** The pages of one generation: anonymous, file. */
export type GenLists = readonly LruPages[];

/** Splits the engine's array: by owner, then by generation (oldest first), then by type. */
export function readGenerations(
  words: Uint32Array,
  owners: readonly Pick<GenerationsView, "generations">[],
): GenLists[][] {
  let at = 0;
  const next = (): LruPages => {
    const sent = words[at] ?? 0;
    const list = { words, at: at + 1, sent };
    at += 1 + 2 * sent;
    return list;
  };
  return owners.map(({ generations }) =>
    generations.map(() => Array.from({ length: TYPES }, next)),
  );
}

/** The page at a distance from the end that is evicted first. */
export function genPage(list: LruPages, place: number): GenPage | null {
  const page = lruPage(list, place);
  if (!page) return null;
  const word = list.words[list.at + 2 * place + 1] ?? 0;
  return { ...page, tier: (word >> 12) & 3 };
}

/** The column of a generation, by its place among all, oldest first: the oldest one is right. */
export const columnOf = (generation: number): number => GEN_COLUMNS - 1 - generation;

/** The layout of the columns; all in px. */
export interface GenLayout {
  readonly width: number;
  readonly height: number;
  readonly column_px: number;
  readonly tile_px: number;
  /** Tiles of a cell. */
  readonly tiles: number;
  /** The longest possible strip. */
  readonly strip_px: number;
}

const GAP_PX = 8;
const BREAK_PX = 8;
const LEAST_STRIP_PX = 10;
const TILE_HEIGHT_PX = 12;
/** Height of the heads of the columns. */
export const GEN_HEAD_PX = 18;
/** Height of a type: a line of numbers, then tiles. */
export const GEN_TYPE_PX = 32;
/** Distance from a type's top to its tiles. */
const TILES_TOP_PX = 16;
/** Height of the row of isolated pages. */
export const GEN_HAND_PX = 20;

/** Lays out four columns in `width` px. */
export function genLayout(width: number): GenLayout {
  const column_px = Math.max(24, (width - (GEN_COLUMNS - 1) * GAP_PX) / GEN_COLUMNS);
  const tile_px = column_px >= 96 ? 8 : 7;
  const tiles = Math.max(1, Math.floor((column_px - BREAK_PX - LEAST_STRIP_PX) / tile_px));
  return {
    width: Math.max(0, width),
    height: GEN_HEAD_PX + GEN_TYPES.length * GEN_TYPE_PX + GEN_HAND_PX,
    column_px,
    tile_px,
    tiles,
    strip_px: column_px - BREAK_PX - tiles * tile_px,
  };
}

/** Tiles of a row: those of all columns. */
export const rowTiles = ({ tiles }: GenLayout): number => GEN_COLUMNS * tiles;

/** Left edge of a column. */
export const columnX = ({ column_px }: GenLayout, column: number): number =>
  column * (column_px + GAP_PX);

/** Top of the tiles of a row. */
export const tilesY = (row: number): number =>
  row === GEN_HAND_ROW
    ? GEN_HEAD_PX + GEN_TYPES.length * GEN_TYPE_PX + (GEN_HAND_PX - TILE_HEIGHT_PX) / 2
    : GEN_HEAD_PX + row * GEN_TYPE_PX + TILES_TOP_PX;

/** Top left corner of a tile of a cell, by its distance from the end that is evicted first. */
export function genTile(layout: GenLayout, row: number, column: number, place: number) {
  const right = columnX(layout, column) + layout.column_px;
  return { x: right - (place + 1) * layout.tile_px, y: tilesY(row) };
}

/** Top left corner of an isolated page, first taken first from the right. */
export const handTile = (layout: GenLayout, place: number) => ({
  x: layout.width - (place + 1) * layout.tile_px,
  y: tilesY(GEN_HAND_ROW),
});

/** Where a page is drawn, as a tile or in the strip, in a cell of `pages` pages. */
export function genPlace(
  layout: GenLayout,
  at: { readonly row: number; readonly column: number; readonly place: number },
  pages: number,
  most: number,
): { x: number; y: number } {
  const tile = genTile(layout, at.row, at.column, at.place);
  if (at.place < layout.tiles) return tile;
  const { x, width } = genStrip(layout, at.column, pages, most);
  const share = (at.place - layout.tiles) / Math.max(1, pages - layout.tiles);
  return { x: x + width * (1 - share), y: tile.y };
}

/** Left edge and width of the strip of a cell: the fullest cell has the longest. */
function genStrip(
  layout: GenLayout,
  column: number,
  pages: number,
  most: number,
): { x: number; width: number } {
  const { tiles, tile_px, strip_px, column_px } = layout;
  const rest = Math.max(0, pages - tiles);
  const width = rest === 0 ? 0 : Math.max(2, (rest / Math.max(1, most - tiles)) * strip_px);
  const right = columnX(layout, column) + column_px - tiles * tile_px - BREAK_PX;
  return { x: right - width, width };
}

/** A tile's position: its row, its column and its distance from the end that is evicted first. */
export interface GenSlot {
  readonly row: number;
  readonly column: number;
  readonly place: number;
}

/** The tile at a point. */
export function genSlotAt(layout: GenLayout, x: number, y: number): GenSlot | null {
  if (x < 0 || x >= layout.width) return null;
  const hand_y = GEN_HEAD_PX + GEN_TYPES.length * GEN_TYPE_PX;
  if (y >= hand_y) {
    const place = Math.floor((layout.width - x) / layout.tile_px);
    return place < rowTiles(layout) ? { row: GEN_HAND_ROW, column: 0, place } : null;
  }
  const row = Math.floor((y - GEN_HEAD_PX) / GEN_TYPE_PX);
  const column = Math.floor(x / (layout.column_px + GAP_PX));
  const right = columnX(layout, column) + layout.column_px;
  const place = Math.floor((right - x) / layout.tile_px);
  if (row < 0 || x > right || place >= layout.tiles) return null;
  return { row, column, place };
}

/** Tiles are numbered from the left, row by row, in the order of the grid's keys. */
export function genCell(layout: GenLayout, { row, column, place }: GenSlot): number {
  const across = rowTiles(layout);
  if (row === GEN_HAND_ROW) return row * across + across - 1 - place;
  return row * across + column * layout.tiles + layout.tiles - 1 - place;
}

/** The position of a tile by its number. */
export function genSlot(layout: GenLayout, cell: number): GenSlot {
  const across = rowTiles(layout);
  const [row, left] = [Math.floor(cell / across), cell % across];
  if (row === GEN_HAND_ROW) return { row, column: 0, place: across - 1 - left };
  const column = Math.floor(left / layout.tiles);
  return { row, column, place: layout.tiles - 1 - (left % layout.tiles) };
}

/** Shares of the states in a strip. */
function shares(list: LruPages, from: number): number[] {
  const found = STATES.map(() => 0);
  for (let place = from; place < list.sent; place += 1) {
    const state = (list.words[list.at + 2 * place + 1] ?? 0) & 0xff;
    found[state] = (found[state] ?? 0) + 1 / (list.sent - from);
  }
  return found;
}

/** The most pages that a cell of these generations has. */
export const mostPages = (owner: Pick<GenerationsView, "generations">): number =>
  Math.max(1, ...owner.generations.flatMap(({ pages }) => pages));

/** Paints the cells and the isolated pages. */
export function paintGenerations(
  g: CanvasRenderingContext2D,
  layout: GenLayout,
  owner: Pick<GenerationsView, "generations">,
  lists: readonly GenLists[],
  hand: readonly HandPage[],
  palette: Palette,
) {
  const most = mostPages(owner);
  owner.generations.forEach(({ pages }, generation) => {
    const column = columnOf(generation);
    const isYoung = generation >= owner.generations.length - 2;
    GEN_TYPES.forEach(({ type, young, old }, row) => {
      const list = lists[generation]?.[type];
      const here = pages[type] ?? 0;
      const own = isYoung ? young : old;
      g.fillStyle = palette["rule-1"] ?? "";
      g.fillRect(columnX(layout, column), tilesY(row) + TILE_HEIGHT_PX + 1, layout.column_px, 1);
      if (!list) return;
      const strip = genStrip(layout, column, here, most);
      paintStrip(g, strip, tilesY(row), list, here, own, layout.tiles, palette);
      for (let place = 0; place < layout.tiles; place += 1) {
        const page = genPage(list, place);
        if (!page) break;
        const { x, y } = genTile(layout, row, column, place);
        paintTile(g, x, y, layout.tile_px, STATES[page.state]?.token ?? "", palette);
        if (page.tier > 0) paintTier(g, x, y, page.tier, palette);
      }
    });
  });
  hand.slice(0, rowTiles(layout)).forEach((page, place) => {
    const { x, y } = handTile(layout, place);
    paintTile(g, x, y, layout.tile_px, handToken(page), palette);
  });
}

function paintTile(
  g: CanvasRenderingContext2D,
  x: number,
  y: number,
  tile_px: number,
  token: string,
  palette: Palette,
) {
  const width = tile_px - 1;
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

/** A page's tier: one to three dark dots above each other at its lower left. */
function paintTier(
  g: CanvasRenderingContext2D,
  x: number,
  y: number,
  tier: number,
  palette: Palette,
) {
  g.fillStyle = palette["ink-1"] ?? "";
  for (let i = 0; i < tier; i += 1) g.fillRect(x, y + TILE_HEIGHT_PX - 2 - 3 * i, 2, 2);
}

/** The rest of a cell: the states of its pages above each other, or its own colour if unknown. */
function paintStrip(
  g: CanvasRenderingContext2D,
  { x, width }: { readonly x: number; readonly width: number },
  y: number,
  list: LruPages,
  pages: number,
  own: string,
  tiles: number,
  palette: Palette,
) {
  if (width === 0) return;
  if (list.sent < pages) {
    g.fillStyle = palette[own] ?? "";
    g.fillRect(x, y, width, TILE_HEIGHT_PX);
    return;
  }
  let from = y + TILE_HEIGHT_PX;
  shares(list, tiles).forEach((share, state) => {
    if (state === FREE || share === 0) return;
    const high = share * TILE_HEIGHT_PX;
    from -= high;
    g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
    g.fillRect(x, from, width, high);
  });
}
