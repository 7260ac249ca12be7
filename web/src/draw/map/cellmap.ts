// The page map of a large machine: a cell is a whole number of pageblocks of one zone, aligned to
// its own size. The engine counts the same cells in the same order.

import { STATES } from "../states";
import type { Palette } from "../tile";
import { type MapZone, rangesWithin, stackBands, type TileLayout } from "./pagemap";

/** A large machine's map: bands of cells. */
export interface CellLayout extends TileLayout {
  /** Frames of one cell. */
  readonly span: number;
  /** First page frame of each cell; a cell at the edge of a zone may begin before the zone. */
  readonly pfns: readonly number[];
}

/** The data of a node that the layout needs. */
export interface CellNode {
  readonly ranges: readonly (readonly [number, number])[];
  readonly zones: readonly MapZone[];
}

/** The most rows of a map before its cells are merged. */
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

/** Frames of a cell, so that no map has too many rows: a pageblock, or 2, 4, 8 of them. */
export function cellSpan(nodes: readonly CellNode[], pageblock: number, columns: number): number {
  const rows = (span: number) =>
    nodes.map(({ ranges, zones }) =>
      zones
        .map((zone) => Math.ceil(cellsOf(ranges, zone, span).length / columns))
        .reduce((a, b) => a + b, 0),
    );
  const frames = Math.max(...nodes.map(({ ranges }) => ranges.reduce((n, [, p]) => n + p, 0)), 1);
  let span = pageblock;
  // Counting the cells of a machine with terabytes block by block would take too long.
  while (frames / span > MOST_ROWS * columns) span *= 2;
  while (Math.max(...rows(span), 0) > MOST_ROWS && span < frames) span *= 2;
  return span;
}

/** Lays out a node's cells in bands by zone. */
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

/** The cell of a page frame, or null. If zones meet inside a cell, each zone has its own cell. */
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

/**
 * Shares (0 to 1) of each state in a cell; the sum is below 1 if part of the cell does not exist.
 */
export const cellShares = (shares: Uint16Array, cell: number): number[] =>
  Array.from(shares.subarray(cell * COUNTS, (cell + 1) * COUNTS), (value) => value / 65535);

/** The existing part of a cell; the engine rounds shares down. */
export function cellFilled(shares: readonly number[]): number {
  const sum = shares.reduce((a, b) => a + b, 0);
  return sum > 0.999 ? 1 : sum;
}

/** Paints each cell as a stack of its contents, see {@link cellBands}. */
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

/** The maximum number of bands in a cell; the cell's text names all states. */
const MOST_BANDS = 4;
/** A smaller share has no band. */
const LEAST_SHARE = 0.02;

/** A part of a cell's stack. */
export interface CellBand {
  readonly state: number;
  readonly px: number;
}

/**
 * The stack of a cell of `inner` px: its largest states, at most four, from the bottom in the order
 * of the legend. Heights are proportional to the shares, but at least a pixel; together the bands
 * fill the existing part of the cell.
 */
export function cellBands(parts: readonly number[], inner: number): CellBand[] {
  const filled = cellFilled(parts);
  const full = filled === 1 ? inner : Math.ceil(filled * inner);
  const held = parts
    .map((share, state) => ({ share, state }))
    .filter(({ share }) => share >= LEAST_SHARE * filled && share > 0)
    .sort((a, b) => b.share - a.share || a.state - b.state)
    .slice(0, Math.min(MOST_BANDS, full));
  const all = held.reduce((sum, { share }) => sum + share, 0);
  const exact = held.map(({ share }) => (share / all) * full);
  const px = exact.map((height) => Math.max(1, Math.floor(height)));
  // Pixels left over by rounding go to the bands that lost most; surplus pixels come from those
  // that gained most.
  for (let left = full - px.reduce((a, b) => a + b, 0); left !== 0; left -= Math.sign(left)) {
    const missed = px.map((height, i) => {
      const over = height - (exact[i] ?? 0);
      return left > 0 ? -over : height > 1 ? over : Number.NEGATIVE_INFINITY;
    });
    const at = missed.indexOf(Math.max(...missed));
    px[at] = (px[at] ?? 0) + Math.sign(left);
  }
  return held.map(({ state }, i) => ({ state, px: px[i] ?? 0 })).sort((a, b) => a.state - b.state);
}

/** The cells of a zone, and how many contain pages of several states. */
export interface MixedCells {
  readonly cells: number;
  readonly mixed: number;
}

/** Counts, by zone, the cells that contain pages of several states. */
export function mixedCells(
  { bands }: TileLayout,
  shares: Uint16Array,
): ReadonlyMap<string, MixedCells> {
  return new Map(
    bands.map(({ zone, first, frames }) => {
      let mixed = 0;
      for (let cell = first; cell < first + frames; cell += 1) {
        let states = 0;
        for (let i = 0; i < COUNTS; i += 1) states += (shares[cell * COUNTS + i] ?? 0) > 0 ? 1 : 0;
        mixed += states > 1 ? 1 : 0;
      }
      return [zone, { cells: frames, mixed }];
    }),
  );
}

/**
 * Paints one cell of `inner` px at (x, y): its contents proportional to area, from bottom to top.
 */
export function paintStack(
  g: CanvasRenderingContext2D,
  [x, y, inner]: readonly [number, number, number],
  parts: readonly number[],
  palette: Palette,
): void {
  let top = y + inner;
  for (const { state, px } of cellBands(parts, inner)) {
    top -= px;
    g.fillStyle = palette[STATES[state]?.token ?? ""] ?? "";
    g.fillRect(x, top, inner, px);
  }
}
