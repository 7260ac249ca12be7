// A zone's free blocks over time by order: the part of its free memory in blocks of each size, at
// the moments of the timeline.

/** Moments of a zone's free blocks, oldest first. */
export interface BlockRows {
  readonly rows: Float64Array;
  readonly orders: number;
  readonly length: number;
}

/**
 * The number of values in a row before the blocks: the time of the row, and the time since which
 * the state holds, ns.
 */
const HEAD = 2;

/** Parses the engine's rows of a machine with `orders` orders; see its `Sample::write_blocks`. */
export const readBlocks = (rows: Float64Array, orders: number): BlockRows => ({
  rows,
  orders,
  length: Math.floor(rows.length / (HEAD + orders)),
});

const at = ({ rows, orders }: BlockRows, row: number, column: number) =>
  rows[row * (HEAD + orders) + column] ?? 0;

/** The free blocks of a moment by order. */
const blocksAt = (rows: BlockRows, row: number): readonly number[] =>
  Array.from({ length: rows.orders }, (_, order) => at(rows, row, HEAD + order));

/** The last moment, ns; nothing is known after it. */
export const knownUntil = (rows: BlockRows): number =>
  rows.length === 0 ? 0 : at(rows, rows.length - 1, 0);

/** Free pages in some blocks. */
export const pagesIn = (blocks: readonly number[]): number =>
  blocks.reduce((sum, many, order) => sum + many * 2 ** order, 0);

/** The part of free memory in blocks of an order or larger; 0 if nothing is free. */
export function usable(blocks: readonly number[], order: number): number {
  const all = pagesIn(blocks);
  const large = pagesIn(blocks.map((many, of) => (of < order ? 0 : many)));
  return all === 0 ? 0 : large / all;
}

/** A time interval drawn as one column. */
export interface HealingColumn {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly blocks: readonly number[];
}

/**
 * The moments in at most `most` columns of equal length. Each shows the state at its end: the last
 * row that holds before the next column begins.
 */
export function healingColumns(rows: BlockRows, most: number): HealingColumn[] {
  const known_ns = knownUntil(rows);
  const many = Math.max(1, Math.min(Math.floor(most), rows.length));
  if (rows.length === 0) return [];
  const columns: HealingColumn[] = [];
  let row = 0;
  for (let i = 0; i < many; i += 1) {
    const [from_ns, to_ns] = [(known_ns * i) / many, (known_ns * (i + 1)) / many];
    const isLast = i === many - 1;
    while (row + 1 < rows.length && (isLast || at(rows, row + 1, 1) < to_ns)) row += 1;
    columns.push({ from_ns, to_ns, blocks: blocksAt(rows, row) });
  }
  return columns;
}

/** The column of a time; -1 if there are no columns. */
export function columnAt(columns: readonly HealingColumn[], time_ns: number): number {
  const last = columns.length - 1;
  const found = columns.findIndex(({ to_ns }) => time_ns < to_ns);
  return found < 0 ? last : found;
}

/** When the part of free memory in large blocks was smallest. */
export function leastUsable(
  columns: readonly HealingColumn[],
  order: number,
): { readonly share: number; readonly column: HealingColumn } | null {
  let least: { share: number; column: HealingColumn } | null = null;
  for (const column of columns) {
    const share = usable(column.blocks, order);
    if (!least || share < least.share) least = { share, column };
  }
  return least;
}

/** The layout of a strip of orders; px. The largest order is on top. */
export interface HealingLayout {
  readonly width: number;
  readonly height: number;
  readonly row_px: number;
  readonly column_px: number;
}

/** The largest and the smallest height of a row; lower rows have no space for five levels. */
const MOST_ROW_PX = 24;
const LEAST_ROW_PX = 5;

/** Lays out orders in a height and moments in a width. */
export function healingLayout(
  orders: number,
  columns: number,
  { width, height }: { width: number; height: number },
): HealingLayout {
  const row_px = Math.max(LEAST_ROW_PX, Math.min(MOST_ROW_PX, Math.floor(height / orders)));
  return { width, height: orders * row_px, row_px, column_px: width / Math.max(1, columns) };
}

/** Top of an order's row. */
export const rowTop = ({ row_px }: HealingLayout, orders: number, order: number): number =>
  (orders - 1 - order) * row_px;

/**
 * The height of an order's bar: proportional to the square root of its part of free memory, so that
 * small parts remain visible.
 */
export function barHeight(blocks: readonly number[], order: number, row_px: number): number {
  const many = blocks[order] ?? 0;
  if (many === 0) return 0;
  const part = (many * 2 ** order) / pagesIn(blocks);
  return Math.max(1, Math.round((row_px - 1) * Math.sqrt(part)));
}

/**
 * The orders whose names fit next to their rows: the requested order first, then the first and the
 * last.
 */
export function namedOrders(orders: number, requested: number | null, row_px: number): number[] {
  const named: number[] = [];
  const all = Array.from({ length: orders }, (_, order) => order);
  for (const order of [requested, 0, orders - 1, ...all]) {
    if (order === null) continue;
    const isFree = named.every((other) => Math.abs(other - order) * row_px >= NAME_PX);
    if (isFree) named.push(order);
  }
  return named;
}

/** Height of a name. */
export const NAME_PX = 15;
