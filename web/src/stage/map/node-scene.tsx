import { useMemo } from "react";
import {
  type CellLayout,
  cellLayout,
  cellOfPfn,
  cellShares,
  paintCells,
} from "../../draw/map/cellmap";
import { firstFrame } from "../../draw/map/levels";
import {
  frameLayout,
  indexOfPfn,
  paintFrames,
  pfnOf,
  type TileLayout,
} from "../../draw/map/pagemap";
import { stateOf } from "../../draw/states";
import type { NodeMap } from "../../engine/protocol";
import type { ZoneView } from "../../engine/types";
import { usePhone } from "../../ui/fit";
import type { MapProps, Scene } from "./scene";
import { cellWords, frameWords, NODE_SCENE, spanWords } from "./words";

/** The zones of a node; the same array until one changes. */
export function useZones({ node, view }: Pick<MapProps, "node" | "view">): readonly ZoneView[] {
  const zones = view.zones.filter((zone) => zone.node === node.id);
  const bounds = zones.map(({ key, start_pfn, spanned }) => `${key} ${start_pfn} ${spanned}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones change only with their bounds
  return useMemo(() => zones, [node, bounds.join()]);
}

/** The layout of a whole node's cells or pages; the same object until they move. */
export function useNodeLayout(
  { node, tiles, tile_px }: MapProps,
  zones: readonly ZoneView[],
  map: NodeMap,
): TileLayout | CellLayout {
  const span = map.kind === "cells" ? map.span : 0;
  return useMemo(
    () =>
      span > 0
        ? cellLayout({ ranges: node.ranges, zones }, span, tiles, tile_px)
        : frameLayout(node.ranges, zones, tiles, tile_px),
    [node, zones, span, tiles, tile_px],
  );
}

/** A whole node: every page of a small machine, or the cells of a big one. */
export function useNodeScene(
  props: MapProps & { map: NodeMap; isZoomable: boolean },
  zones: readonly ZoneView[],
  layout: TileLayout | CellLayout,
): Scene {
  const isPhone = usePhone();
  const { map, isZoomable } = props;
  const how = !isZoomable ? "" : isPhone ? NODE_SCENE.tapToZoomIn : NODE_SCENE.doubleClickToZoomIn;
  if (map.kind === "frames") return frameScene(props, map, layout, how);
  return cellScene(props, map, zones, layout as CellLayout, how);
}

function frameScene(
  { info, node, tiles }: MapProps,
  map: Extract<NodeMap, { kind: "frames" }>,
  layout: TileLayout,
  how: string,
): Scene {
  const areas = how ? "" : NODE_SCENE.outlinedAreasAreFreeBlocks;
  return {
    level: "node",
    key: "node",
    layout,
    count: map.states.length,
    isPages: true,
    label: NODE_SCENE.pageMapOfNode(node.id),
    axis: NODE_SCENE.eachTile(info.page_size, tiles, areas, how),
    say: (index) => frameWords(layout, map, node, info.page_size, index),
    pfnOf: (index) => pfnOf(node.ranges, index),
    indexOf: (pfn) => indexOfPfn(node.ranges, pfn),
    isOff: (index, state) => stateOf(map.states[index] ?? 0) !== state,
    paint: (g, palette) => paintFrames(g, layout, map.states, map.orders, palette),
  };
}

function cellScene(
  { info, node, tiles }: MapProps,
  map: Extract<NodeMap, { kind: "cells" }>,
  zones: readonly ZoneView[],
  layout: CellLayout,
  how: string,
): Scene {
  const { span, shares } = map;
  return {
    level: "node",
    key: "node",
    layout,
    count: layout.pfns.length,
    isPages: false,
    label: NODE_SCENE.pageMapOfNode(node.id),
    axis: NODE_SCENE.eachCellIsEachRow(spanWords(span, info), span * tiles, info.page_size, how),
    say: (cell) => cellWords(layout, zones, info, cellShares(shares, cell), cell),
    pfnOf: (cell) => firstIn(layout, zones, node.ranges, cell),
    indexOf: (pfn) => cellOfPfn(layout, zones, pfn),
    isOff: (cell, state) => (cellShares(shares, cell)[state] ?? 0) === 0,
    paint: (g, palette) => paintCells(g, layout, shares, palette),
  };
}

/** The first existing frame of a cell, in the cell's own zone. */
export function firstIn(
  layout: CellLayout,
  zones: readonly ZoneView[],
  ranges: MapProps["node"]["ranges"],
  cell: number,
): number | null {
  const start = layout.pfns[cell];
  const band = layout.bands.find((b) => cell >= b.first && cell < b.first + b.frames);
  const zone = zones.find(({ key }) => key === band?.zone);
  if (start === undefined || !zone) return null;
  const to = Math.min(start + layout.span, zone.start_pfn + zone.spanned);
  return firstFrame(ranges, Math.max(start, zone.start_pfn), to);
}
