// Paints the zoomed page map: pageblocks as stacks, or the pages of one pageblock as tiles. The
// canvas shows a part of the layout, which begins at its top left corner.

import { FREE, HUGE, STATES } from "../states";
import { type Palette, paintPieces, tilePieces } from "../tile";
import { type CellLayout, cellShares, paintStack } from "./cellmap";
import { cellsIn, type Port } from "./levels";
import { blockBoxes, framePlace, type TileLayout } from "./pagemap";
import { glyphOf, isThere, wordBlock, wordOrder, wordState } from "./pageword";
import { cellRuns, runLayers } from "./runs";
import { GLYPH_TILE_PX } from "./zoom";

/** The contents of a zone's pageblocks. */
export interface ZoneCells {
  /** Shares of the states, by the engine's index of a cell. */
  readonly shares: Uint16Array;
  /** The engine's index of each cell of the layout; -1 for a hole. */
  readonly places: Int32Array;
  /** Free blocks by order, by the same index. */
  readonly runs: Uint16Array | null;
  /** Migrate type of a cell's pageblock; -1 if it is not known. */
  readonly typeOf: (cell: number) => number;
}

/** The mark of each migrate type, by the engine's index; movable is usual and has no mark. */
export const TYPE_MARKS = ["unmovable", null, "reclaimable", "reserve"] as const;

/** Paints the pageblocks in view. */
export function paintZone(
  g: CanvasRenderingContext2D,
  layout: CellLayout,
  cells: ZoneCells,
  port: Port,
  palette: Palette,
): void {
  const inner = layout.tile_px - 1;
  g.save();
  g.translate(-port.x, -port.y);
  for (const [from, to] of cellsIn(layout, port)) {
    for (let cell = from; cell < to; cell += 1) {
      const at = framePlace(layout, cell);
      const place = cells.places[cell] ?? -1;
      if (!at || place < 0) continue;
      paintStack(g, [at.x, at.y, inner], cellShares(cells.shares, place), palette);
      if (cells.runs)
        paintRuns(g, [at.x, at.y, inner], cellRuns(cells.runs, place), layout.span, palette);
      paintType(g, at.x, at.y, cells.typeOf(cell), palette);
    }
  }
  g.restore();
}

/** Distance between the lines of the texture for small blocks. */
const CRUMB_PX = 2;

/** Lines in the free part of a stack: between orders, and between the blocks of each. */
function paintRuns(
  g: CanvasRenderingContext2D,
  [x, y, inner]: readonly [number, number, number],
  counts: Uint16Array,
  span: number,
  palette: Palette,
): void {
  g.fillStyle = palette["ink-3"] ?? "";
  const bottom = y + inner;
  for (const { from, to, blocks } of runLayers(counts, span, inner)) {
    const [low, high] = [bottom - Math.round(from), bottom - Math.round(to)];
    // The line above the topmost block is the edge of the free part.
    if (blocks > 0 && to < inner) g.fillRect(x, high, inner, 0.5);
    const step = blocks > 0 ? inner / blocks : CRUMB_PX;
    for (let at = step; at < inner - 0.5; at += step) {
      g.fillRect(x + Math.round(at), high, 0.5, low - high);
    }
  }
}

const TICK_PX = 7;

/** The migrate type in a cell's upper left corner, on a background that is visible on every
 * state. */
function paintType(
  g: CanvasRenderingContext2D,
  x: number,
  y: number,
  type: number,
  palette: Palette,
): void {
  const mark = TYPE_MARKS[type];
  if (!mark) return;
  g.fillStyle = palette.ground ?? "";
  corner(g, [x, y, TICK_PX + 2.5], mark);
  g.fill();
  paintCorner(g, [x, y, TICK_PX], mark, palette);
}

type TypeMark = NonNullable<(typeof TYPE_MARKS)[number]>;
type Square = readonly [x: number, y: number, size: number];

function corner(g: CanvasRenderingContext2D, [x, y, size]: Square, mark: TypeMark): void {
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x + size, y);
  if (mark === "reserve") g.lineTo(x + size, y + size);
  g.lineTo(x, y + size);
  g.closePath();
}

/** A migrate type's mark in a square. */
export function paintCorner(
  g: CanvasRenderingContext2D,
  square: Square,
  mark: TypeMark,
  palette: Palette,
): void {
  corner(g, square, mark);
  g.fillStyle = palette["ink-1"] ?? "";
  if (mark !== "reclaimable") g.fill();
  g.strokeStyle = palette["ink-1"] ?? "";
  g.lineWidth = 1.5;
  if (mark === "reclaimable") g.stroke();
}

/** Paints the pages of a pageblock: a tile each; free blocks and huge pages as one area. */
export function paintBlock(
  g: CanvasRenderingContext2D,
  layout: TileLayout,
  words: Uint32Array,
  port: Port,
  palette: Palette,
): void {
  g.save();
  g.translate(-port.x, -port.y);
  let i = 0;
  while (i < words.length) {
    const word = words[i] ?? 0;
    const state = wordState(word);
    const isMerged = isThere(word) && (state === FREE || state === HUGE);
    if (isMerged) i = paintMerged(g, layout, words, i, palette);
    else {
      if (isThere(word)) paintPage(g, layout, i, word, port, palette);
      i += 1;
    }
  }
  g.restore();
}

/** Paints a block of several pages as one area; returns the frame after it. */
function paintMerged(
  g: CanvasRenderingContext2D,
  layout: TileLayout,
  words: Uint32Array,
  from: number,
  palette: Palette,
): number {
  const { head, pages } = wordBlock(words, from);
  let end = Math.min(head + pages, words.length);
  // A block whose head lies before the words ends where the next one begins.
  if (wordOrder(words[from] ?? 0) < 0) {
    end = from + 1;
    while (end < words.length && wordOrder(words[end] ?? 0) < 0) end += 1;
  }
  const state = wordState(words[from] ?? 0);
  for (const { x, y, w, h } of blockBoxes(layout, from, end)) {
    if (state === HUGE) {
      paintPieces(g, tilePieces("huge", x, y, w - 1, h - 1), palette);
      continue;
    }
    g.fillStyle = palette.free ?? "";
    g.fillRect(x, y, w - 1, h - 1);
    g.strokeStyle = palette["rule-2"] ?? "";
    g.lineWidth = 1;
    g.strokeRect(x + 0.5, y + 0.5, w - 2, h - 2);
  }
  return end;
}

function paintPage(
  g: CanvasRenderingContext2D,
  layout: TileLayout,
  index: number,
  word: number,
  port: Port,
  palette: Palette,
): void {
  const at = framePlace(layout, index);
  const { tile_px } = layout;
  if (!at || at.y + tile_px < port.y || at.y > port.y + port.height) return;
  const inner = tile_px - 1;
  const token = STATES[wordState(word)]?.token ?? "reserved";
  paintPieces(g, tilePieces(token, at.x, at.y, inner, inner), palette);
  const glyph = tile_px >= GLYPH_TILE_PX ? glyphOf(word) : null;
  if (glyph) paintGlyph(g, glyph, at.x, at.y + inner, Math.max(4, tile_px * 0.3), palette);
}

/** A flag in the lower left corner of a tile; `x`, `bottom` is that corner. */
function paintGlyph(
  g: CanvasRenderingContext2D,
  glyph: string,
  x: number,
  bottom: number,
  size: number,
  palette: Palette,
): void {
  const y = bottom - size;
  g.beginPath();
  if (glyph === "used") g.arc(x + size / 2, y + size / 2, size / 2, 0, 2 * Math.PI);
  else if (glyph === "lock") g.rect(x, y, size, size);
  else {
    g.moveTo(x, y);
    g.lineTo(x + size, y);
    g.lineTo(x + size / 2, bottom);
  }
  g.closePath();
  // A background around it, so that it is visible on every state.
  g.strokeStyle = palette.ground ?? "";
  g.lineWidth = 2.5;
  g.stroke();
  g.fillStyle = palette["ink-1"] ?? "";
  g.fill();
}
