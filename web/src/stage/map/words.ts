// Describes a page or a cell of a page map in words.

import { type CellLayout, cellFilled } from "../../draw/map/cellmap";
import { blockOf, pfnOf, type TileLayout } from "../../draw/map/pagemap";
import { isMarked, STATES, stateOf, stateWords } from "../../draw/states";
import { counted, hex, orderWords, percent, size, zoneWords } from "../../engine/format";
import type { NodeMap } from "../../engine/protocol";
import type { Info, NodeInfo, ZoneView } from "../../engine/types";

/** A page of a small machine: "0x1f, DMA on node 0: free, in the block of order 3 at 0x18". */
export function frameWords(
  layout: TileLayout,
  map: Extract<NodeMap, { kind: "frames" }>,
  node: NodeInfo,
  page_size: number,
  index: number,
): string {
  const band = layout.bands.find((b) => index >= b.first && index < b.first + b.frames);
  const state = stateWords(stateOf(map.states[index] ?? 0));
  const { head, order } = blockOf(map.orders, index);
  const block =
    order > 0
      ? `, in the block of ${orderWords(order, page_size)} at ${hex(pfnOf(node.ranges, head))}`
      : "";
  const marked = isMarked(map.states[index] ?? 0)
    ? ", marked: the next access takes a hinting fault"
    : "";
  return `${hex(pfnOf(node.ranges, index))}, ${band ? zoneWords(band.zone) : ""}: ${state}${marked}${block}`;
}

/** A cell's size: "one pageblock of 2 MiB", "4 pageblocks, 8 MiB". */
export function spanWords(span: number, { pageblock_order, page_size }: Info): string {
  const blocks = span / 2 ** pageblock_order;
  return blocks === 1
    ? `one pageblock of ${size(span, page_size)}`
    : `${counted(blocks, "pageblock")}, ${size(span, page_size)}`;
}

/** A cell's frames, zone and contents: "0x1000 to 0x11ff, DMA32 on node 0: 97 % free, 3 % slab". */
export function cellWords(
  layout: CellLayout,
  zones: readonly ZoneView[],
  { page_size }: Info,
  shares: readonly number[],
  cell: number,
): string {
  const band = layout.bands.find((b) => cell >= b.first && cell < b.first + b.frames);
  const zone = zones.find(({ key }) => key === band?.zone);
  const start = layout.pfns[cell];
  if (!zone || start === undefined) return "";
  const from = Math.max(start, zone.start_pfn);
  const to = Math.min(start + layout.span, zone.start_pfn + zone.spanned);
  const filled = cellFilled(shares);
  const pages = Math.round(filled * layout.span);
  const missing = to - from - pages;
  const holds = shares
    .map((share, state) => ({ share: share / (filled || 1), words: STATES[state]?.words ?? "" }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .map(({ share, words }) => `${percent(share)} ${words}`);
  // Shares are rounded, so one or two missing pages do not mean a hole.
  if (missing > layout.span / 500) holds.push(`${size(missing, page_size)} not present`);
  return `${hex(from)} to ${hex(to - 1)}, ${zoneWords(zone.key)}: ${holds.join(", ")}`;
}
