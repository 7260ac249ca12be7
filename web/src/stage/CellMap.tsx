import { useMemo, useState } from "react";
import {
  type CellLayout,
  cellFilled,
  cellLayout,
  cellOfPfn,
  cellShares,
  paintCells,
} from "../draw/cellmap";
import { count, hex, percent, size, zoneWords } from "../draw/format";
import { STATES } from "../draw/states";
import type { NodeMap } from "../engine/protocol";
import type { Info, ZoneView } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { usePalette } from "../ui/theme";
import { MapGrid } from "./MapGrid";
import { MapMarks, Ring } from "./MapMarks";
import type { MapProps } from "./PageMap";

/** A big machine's map: every cell is one pageblock or a few. */
export function CellMap({
  info,
  node,
  view,
  map,
  tiles,
  tile_px,
}: MapProps & { map: Extract<NodeMap, { kind: "cells" }> }) {
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const zones = view.zones.filter((zone) => zone.node === node.id);
  const bounds = zones.map(({ key, start_pfn, spanned }) => `${key} ${start_pfn} ${spanned}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones move only when their bounds do
  const layout = useMemo(
    () => cellLayout({ ranges: node.ranges, zones }, map.span, tiles, tile_px),
    [node, bounds.join(), map.span, tiles, tile_px],
  );
  const say = (cell: number) => cellWords(layout, zones, info, cellShares(map.shares, cell), cell);
  return (
    <>
      <MapGrid
        label={`Page map of node ${node.id}`}
        layout={layout}
        count={layout.pfns.length}
        cursor={cursor}
        setCursor={setCursor}
        say={say}
      >
        <Canvas
          width={layout.width}
          height={layout.height}
          draw={(g) => paintCells(g, layout, map.shares, palette)}
        />
        <MapMarks
          layout={layout}
          view={view}
          node={node.id}
          indexOf={(pfn) => cellOfPfn(layout, zones, pfn)}
          count={layout.pfns.length}
          isOff={(cell, state) => (cellShares(map.shares, cell)[state] ?? 0) === 0}
          hasBlocks={false}
        />
        {cursor !== null && (
          <svg className="overlay" aria-hidden="true">
            <Ring layout={layout} from={cursor} tiles={1} look="hover" />
          </svg>
        )}
      </MapGrid>
      <p className="axis">
        <span className={cursor === null ? "" : "readout"}>
          {cursor === null
            ? `Each cell is ${spanWords(map.span, info)}, each row ${size(map.span * tiles, info.page_size)}`
            : say(cursor)}
        </span>
      </p>
    </>
  );
}

/** A cell's size: "one pageblock of 2 MiB", "4 pageblocks, 8 MiB". */
function spanWords(span: number, { pageblock_order, page_size }: Info): string {
  const blocks = span / 2 ** pageblock_order;
  return blocks === 1
    ? `one pageblock of ${size(span, page_size)}`
    : `${count(blocks)} pageblocks, ${size(span, page_size)}`;
}

/** A cell's frames, zone and contents: "0x1000 to 0x11ff, DMA32 on node 0: 97 % free, 3 % slab". */
function cellWords(
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
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share)
    .map(({ share, words }) => `${percent(share)} ${words}`);
  // Shares are rounded, so a page or two missing is no hole.
  if (missing > layout.span / 500) holds.push(`${size(missing, page_size)} of it does not exist`);
  return `${hex(from)} to ${hex(to - 1)}, ${zoneWords(zone.key)}: ${holds.join(", ")}`;
}
