import { useMemo, useState } from "react";
import { hex, orderWords, size, zoneWords } from "../draw/format";
import {
  blockOf,
  frameLayout,
  indexOfPfn,
  paintFrames,
  pfnOf,
  type TileLayout,
} from "../draw/pagemap";
import { stateOf, stateWords } from "../draw/states";
import type { NodeMap } from "../engine/protocol";
import type { NodeInfo, View } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { usePalette } from "../ui/theme";
import { useWorkbench } from "../workbench/context";
import { MapGrid } from "./MapGrid";
import { MapMarks } from "./MapMarks";
import type { MapProps } from "./PageMap";

type Frames = Extract<NodeMap, { kind: "frames" }>;

/** A small machine's map: every page a tile. */
export function FrameMap({ info, node, view, map, tiles, tile_px }: MapProps & { map: Frames }) {
  const workbench = useWorkbench();
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const layout = useLayout(node, view, tiles, tile_px);
  const say = (index: number) => frameWords(layout, map, node, info.page_size, index);
  const isOff = (index: number, state: number) => stateOf(map.states[index] ?? 0) !== state;
  return (
    <>
      <MapGrid
        label={`Page map of node ${node.id}`}
        layout={layout}
        count={map.states.length}
        cursor={cursor}
        setCursor={(index) => {
          setCursor(index);
          workbench.hover(index === null ? null : `page ${pfnOf(node.ranges, index)}`);
        }}
        say={say}
        press={(index) => workbench.select(`page ${pfnOf(node.ranges, index)}`)}
      >
        <Canvas
          width={layout.width}
          height={layout.height}
          draw={(g) => paintFrames(g, layout, map.states, map.orders, palette)}
        />
        <MapMarks
          layout={layout}
          view={view}
          node={node.id}
          indexOf={(pfn) => indexOfPfn(node.ranges, pfn)}
          count={map.states.length}
          isOff={isOff}
          hasBlocks
        />
      </MapGrid>
      <p className="axis">
        {cursor === null ? (
          <span>
            Each tile is a page of {size(1, info.page_size)}, each row {size(tiles, info.page_size)}
            ; outlined areas are free blocks
          </span>
        ) : (
          <span className="readout">{say(cursor)}</span>
        )}
      </p>
    </>
  );
}

function useLayout(node: NodeInfo, view: View, tiles: number, tile_px: number): TileLayout {
  const bounds = view.zones
    .map(({ key, start_pfn, spanned }) => `${key} ${start_pfn} ${spanned}`)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones move only when their bounds do
  return useMemo(() => {
    const zones = view.zones.filter((zone) => zone.node === node.id);
    return frameLayout(node.ranges, zones, tiles, tile_px);
  }, [node, bounds, tiles, tile_px]);
}

function frameWords(
  layout: TileLayout,
  map: Frames,
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
  return `${hex(pfnOf(node.ranges, index))}, ${band ? zoneWords(band.zone) : ""}: ${state}${block}`;
}
