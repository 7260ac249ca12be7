// The page map of a big machine: a cell is a whole number of pageblocks, aligned to its own size, of
// one zone. The engine counts the same cells in the same order.

import { STATES } from "../states";
import type { Palette } from "../tile";
import { type MapZone, rangesWithin, stackBands, type TileLayout } from "./pagemap";

/** A big machine's map: bands of cells. */
export interface CellLayout extends TileLayout {
  /** Frames of one cell. */
  readonly span: number;
  /** First page frame of each cell; a cell at the edge of its zone may begin before it. */
  readonly pfns: readonly number[];
}

/** A node as the layout of its cells needs it. */
export interface CellNode {
  readonly ranges: readonly (readonly [number, number])[];
  readonly zones: readonly MapZone[];
}

/** Rows a map may have before its cells are merged. */
const MOST_ROWS = 26;

/** First page frames of the cells of a zone. */
function cellsOf(ranges: CellNode["ranges"], zone: MapZone, span: number): number[] {
  const cells: number[] = [];
  for (const [from, pages] of rangesWithin(ranges, zone)) {
    for (let cell = Math.floor(from / span); cell * span < from + pages; cell += 1) {
      if (cells.at(-1) !== cell * span) cells.push(cell * span);
    }
  }
  return cells;
}

/** Frames of a cell, so that no node's map has too many rows: a pageblock, or 2, 4, 8 of them. */
export function cellSpan(nodes: readonly CellNode[], pageblock: number, columns: number): number {
  const rows = (span: number) =>
    nodes.map(({ ranges, zones }) =>
      zones
        .map((zone) => Math.ceil(cellsOf(ranges, zone, span).length / columns))
        .reduce((a, b) => a + b, 0),
    );
  const frames = Math.max(...nodes.map(({ ranges }) => ranges.reduce((n, [, p]) => n + p, 0)), 1);
  let span = pageblock;
  // Counting the cells of a machine of terabytes block by block would take long.
  while (frames / span > MOST_ROWS * columns) span *= 2;
  while (Math.max(...rows(span), 0) > MOST_ROWS && span < frames) span *= 2;
  return span;
}

/** Lays a node's cells out in bands by zone. */
export function cellLayout(
  { ranges, zones }: CellNode,
  span: number,
  columns: number,
  tile_px: number,
): CellLayout {
  const pfns: number[] = [];
  const parts = zones.flatMap((zone) => {
    const cells = cellsOf(ranges, zone, span);
    if (cells.length === 0) return [];
    const first = pfns.length;
    pfns.push(...cells);
    const { key, name, start_pfn: first_pfn } = zone;
    return [{ zone: key, name, first, frames: cells.length, first_pfn }];
  });
  return { ...stackBands(parts, columns, tile_px), span, pfns };
}

/** The cell that holds a page frame, or none. Where zones meet inside a cell, each has its own. */
export function cellOfPfn(
  { bands, pfns, span }: CellLayout,
  zones: readonly MapZone[],
  pfn: number,
): number | null {
  const zone = zones.find((z) => pfn >= z.start_pfn && pfn < z.start_pfn + z.spanned);
  const band = bands.find((b) => b.zone === zone?.key);
  if (!band) return null;
  const cell = pfns.indexOf(Math.floor(pfn / span) * span, band.first);
  return cell >= 0 && cell < band.first + band.frames ? cell : null;
}

/** Number of state counts of one cell. */
const COUNTS = 12;

/** Shares (0 to 1) of each state in a cell; they sum to less where some of it does not exist. */
export const cellShares = (shares: Uint16Array, cell: number): number[] =>
  Array.from(shares.subarray(cell * COUNTS, (cell + 1) * COUNTS), (value) => value / 65535);

/** The part of a cell that exists; the engine rounds shares down. */
export function cellFilled(shares: readonly number[]): number {
  const sum = shares.reduce((a, b) => a + b, 0);
  return sum > 0.999 ? 1 : sum;
}

/** Paints every cell as a stack of what it holds, by area, in legend order from the bottom. */
export function paintCells(
  g: CanvasRenderingContext2D,
  layout: CellLayout,
  shares: Uint16Array,
  palette: Palette,
): void {
  const inner = layout.tile_px - 1;
  for (const band of layout.bands) {
    for (let i = 0; i < band.frames; i += 1) {
      const x = (i % layout.columns) * layout.tile_px;
      const y = band.y + Math.floor(i / layout.columns) * layout.tile_px;
      paintStack(g, [x, y, inner], cellShares(shares, band.first + i), palette);
    }
  }
}

/** Paints one cell of `inner` px at (x, y): what it holds by area, bottom to top. */
export function paintStack(
  g: CanvasRenderingContext2D,
  [x, y, inner]: readonly [number, number, number],
  parts: readonly number[],
  palette: Palette,
): void {
  const full = cellFilled(parts) === 1 ? inner : Math.ceil(cellFilled(parts) * inner);
  let from = 0;
  let sum = 0;
  for (const [state, share] of parts.entries()) {
    if (share === 0) continue;
    sum += share;
    // Rounding the running sum, not each part, makes the parts fill the cell exactly.
    const to = Math.min(full, Math.max(Math.round(sum * inner), share > 0.04 ? from + 1 : from));
    g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
    g.fillRect(x, y + inner - to, inner, to - from);
    from = to;
  }
}
