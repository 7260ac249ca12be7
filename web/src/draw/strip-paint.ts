// Paints the pageblocks of a strip: tiles or columns of their contents, with the type above each.

import { cellBands } from "./map/cellmap";
import { paintCorner, TYPE_MARKS } from "./map/zoompaint";
import { FREE, STATES, stateOf } from "./states";
import { boxAt, type StripCell, type StripLayout, TYPES_PX } from "./strip";
import { type Palette, paintPieces, tilePieces } from "./tile";

/** From this size on, a tile has space for the shape of its state, px. */
const SHAPED_PX = 6;
const ISOLATED = STATES.findIndex(({ token }) => token === "isolated");

/** Paints all blocks. */
export function paintStrip(
  g: CanvasRenderingContext2D,
  layout: StripLayout,
  cells: readonly StripCell[],
  palette: Palette,
): void {
  cells.forEach((cell, i) => {
    const at = boxAt(layout, i);
    paintType(g, layout, cell, at, palette);
    if (cell.isGiven) paintGiven(g, layout, at, palette);
    else if (cell.states && layout.columns > 0) paintTiles(g, layout, cell.states, at, palette);
    else paintColumn(g, layout, cell, at, palette);
  });
}

type At = ReturnType<typeof boxAt>;

/** The mark of the most frequent type in a cell, except movable. */
function markOf({ types }: StripCell) {
  const others = types.map((blocks, type) => (TYPE_MARKS[type] ? blocks : 0));
  const most = Math.max(0, ...others);
  return most > 0 ? (TYPE_MARKS[others.indexOf(most)] ?? null) : null;
}

function paintType(
  g: CanvasRenderingContext2D,
  { box_px }: StripLayout,
  cell: StripCell,
  { x, y }: At,
  palette: Palette,
): void {
  const mark = markOf(cell);
  if (mark) paintCorner(g, [x, y - TYPES_PX - 1, Math.min(TYPES_PX, box_px)], mark, palette);
}

function paintTiles(
  g: CanvasRenderingContext2D,
  { columns, tile }: StripLayout,
  states: Uint8Array,
  { x, y }: At,
  palette: Palette,
): void {
  const [wide, high] = tile;
  const gap = Math.min(wide, high) >= 3 ? 1 : 0;
  states.forEach((byte, i) => {
    const state = stateOf(byte);
    const token = STATES[state]?.token ?? "";
    const [left, top] = [x + (i % columns) * wide, y + Math.floor(i / columns) * high];
    if (Math.min(wide, high) >= SHAPED_PX) {
      paintPieces(g, tilePieces(token, left, top, wide - 1, high - 1), palette);
      return;
    }
    g.fillStyle = palette[token] ?? "";
    // Adjacent free or isolated pages form one area; pages in use stand out from it.
    const space = state === FREE || state === ISOLATED ? 0 : gap;
    g.fillRect(left, top, wide - space, high - space);
  });
}

/** A block that was allocated whole. */
function paintGiven(
  g: CanvasRenderingContext2D,
  { box_px, high_px }: StripLayout,
  { x, y }: At,
  palette: Palette,
): void {
  g.fillStyle = palette.slab ?? "";
  g.fillRect(x, y, box_px, high_px);
  if (box_px < SHAPED_PX) return;
  g.strokeStyle = palette.notch ?? "";
  g.lineWidth = 1;
  g.strokeRect(x + 2.5, y + 2.5, box_px - 5, high_px - 5);
}

function paintColumn(
  g: CanvasRenderingContext2D,
  { box_px, high_px }: StripLayout,
  { pages, span }: StripCell,
  { x, y }: At,
  palette: Palette,
): void {
  const bands = cellBands(
    pages.map((n) => n / span),
    high_px,
  );
  let top = y + high_px;
  for (const { state, px } of bands) {
    top -= px;
    g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
    g.fillRect(x, top, box_px, px);
  }
}
