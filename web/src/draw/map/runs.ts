// The free part of a pageblock as the free blocks it is made of: the largest at the bottom, each order
// a layer, what is too small to be told apart as a texture.

/** Orders a cell's free blocks are counted by; see the engine's `free_runs`. */
const ORDERS = 13;

/** How many free blocks there are of each order in a cell. */
export const cellRuns = (runs: Uint16Array, cell: number): Uint16Array =>
  runs.subarray(cell * ORDERS, (cell + 1) * ORDERS);

/** A layer of the free part: blocks side by side, or `crumbs` of several orders. */
export interface RunLayer {
  /** From the bottom of the cell, px. */
  readonly from: number;
  readonly to: number;
  /** Blocks in the layer, 0 where they are too many or too small to be drawn one by one. */
  readonly blocks: number;
}

/** Lower layers than this are crumbs, and so are narrower blocks. */
const LEAST_PX = 3;

/** The layers of a cell of `inner` px that stands for `span` pages, from the bottom. */
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

/** Free blocks in words, the largest first: "1 block of order 8, 3 of order 4"; none: nothing. */
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
