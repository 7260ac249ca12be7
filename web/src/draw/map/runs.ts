// Draws the free part of a pageblock as free blocks: the largest at the bottom, a layer for each
// order, and a texture for blocks that are too small to be drawn.

/** The number of orders by which a cell's free blocks are counted; see the engine's `free_runs`. */
const ORDERS = 13;

/** The number of free blocks of each order in a cell. */
export const cellRuns = (runs: Uint16Array, cell: number): Uint16Array =>
  runs.subarray(cell * ORDERS, (cell + 1) * ORDERS);

/** A layer of the free part: blocks side by side, or small blocks of several orders as a
 * texture. */
export interface RunLayer {
  /** Distance from the bottom of the cell, px. */
  readonly from: number;
  readonly to: number;
  /** Blocks in the layer; 0 if they are too many or too small to be drawn one by one. */
  readonly blocks: number;
}

/** Lower layers and narrower blocks are drawn as a texture. */
const LEAST_PX = 3;

/** The layers of a cell of `inner` px with `span` pages, from the bottom. */
export function runLayers(counts: ArrayLike<number>, span: number, inner: number): RunLayer[] {
  const layers: RunLayer[] = [];
  let pages = 0;
  let crumbs = 0;
  for (let order = ORDERS - 1; order >= 0; order -= 1) {
    const blocks = counts[order] ?? 0;
    const more = blocks * 2 ** order;
    if (more === 0) continue;
    const from = (pages / span) * inner;
    const to = ((pages + more) / span) * inner;
    pages += more;
    if (crumbs > 0 || to - from < LEAST_PX) crumbs += to - from;
    else layers.push({ from, to, blocks: inner / blocks < LEAST_PX ? 0 : blocks });
  }
  const top = (pages / span) * inner;
  return crumbs < 1 ? layers : [...layers, { from: top - crumbs, to: top, blocks: 0 }];
}

/** Free blocks in words, the largest first: "1 block of order 8, 3 of order 4"; "" without any. */
export function runWords(counts: ArrayLike<number>): string {
  const each = Array.from(counts, (blocks, order) => ({ blocks, order }));
  const there = each.filter(({ blocks }) => blocks > 0).reverse();
  return there
    .map(({ blocks, order }, i) => {
      const what = i === 0 ? ` block${blocks === 1 ? "" : "s"}` : "";
      return `${blocks}${what} of order ${order}`;
    })
    .join(", ");
}
