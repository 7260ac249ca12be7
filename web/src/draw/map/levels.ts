// The levels of a page map, and the part of a layout that is in view. Pixels are CSS pixels; a
// point is measured from the top left corner of a layout or of its visible part.

import type { TileLayout } from "./pagemap";

/** A level: the whole node, its pageblocks, the pages of one pageblock, or one page. */
export type Level = "node" | "zone" | "block" | "page";

/** A small machine shows every page at once, so there is no level between the node and a page. */
const SMALL: readonly Level[] = ["node", "page"];
const BIG: readonly Level[] = ["node", "zone", "block", "page"];

/** The levels of a machine, from the outermost in. */
const levelsOf = (isSmall: boolean): readonly Level[] => (isSmall ? SMALL : BIG);

/** The next level inwards or outwards; none at either end. */
export function nextLevel(level: Level, direction: 1 | -1, isSmall: boolean): Level | null {
  const levels = levelsOf(isSmall);
  return levels[levels.indexOf(level) + direction] ?? null;
}

/** A place in a layout. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The visible part of a layout. */
export interface Port extends Point {
  readonly width: number;
  readonly height: number;
}

/** The cells of a layout that a view may show, row by row: [first, end) of each. */
export function cellsIn(layout: TileLayout, port: Port): [number, number][] {
  const { columns, tile_px } = layout;
  const left = Math.max(0, Math.floor(port.x / tile_px));
  const right = Math.min(columns, Math.ceil((port.x + port.width) / tile_px));
  const rows: [number, number][] = [];
  for (const { first, frames, y } of layout.bands) {
    const top = Math.max(0, Math.floor((port.y - y) / tile_px));
    const bottom = Math.min(
      Math.ceil(frames / columns),
      Math.ceil((port.y + port.height - y) / tile_px),
    );
    for (let row = top; row < bottom; row += 1) {
      const end = Math.min(row * columns + right, frames);
      if (row * columns + left < end) rows.push([first + row * columns + left, first + end]);
    }
  }
  return rows;
}

/** The first existing frame in a range of page frame numbers, or none. */
export function firstFrame(
  ranges: readonly (readonly [number, number])[],
  from: number,
  to: number,
): number | null {
  let first: number | null = null;
  for (const [start, pages] of ranges) {
    const at = Math.max(start, from);
    if (at < Math.min(start + pages, to) && (first === null || at < first)) first = at;
  }
  return first;
}
