import { useMemo } from "react";
import { blockPages } from "../../app/zooms";
import { type CellLayout, cellOfPfn, cellShares } from "../../draw/map/cellmap";
import type { TileLayout } from "../../draw/map/pagemap";
import { countStates, isThere, wordState, wordType } from "../../draw/map/pageword";
import { cellRuns, runWords } from "../../draw/map/runs";
import { blockLayout, countedCells, GLYPH_TILE_PX, zoneLayout } from "../../draw/map/zoom";
import { paintBlock, paintZone, type ZoneCells } from "../../draw/map/zoompaint";
import { STATES } from "../../draw/states";
import type { NodeMap, Zoomed } from "../../engine/protocol";
import type { ZoneView } from "../../engine/types";
import { usePhone } from "../../ui/fit";
import { FlagKey, TypeKey } from "./CornerKeys";
import { firstIn } from "./node-scene";
import type { MapProps, Scene } from "./scene";
import { ZOOM_SCENE } from "./words";
import { blockWords, countWords, pageWords, typeWords, zoneAt } from "./zoom-words";

interface Room {
  readonly width: number;
  readonly height: number;
}

/** The scene of a zoomed map with the engine's answer; null before it. */
export function useZoomScene(
  props: MapProps & { map: NodeMap },
  zones: readonly ZoneView[],
  node: TileLayout | CellLayout,
  room: Room,
  zoomed: Zoomed | null,
): Scene | null {
  const zone = useZoneLayout(props, zones, "pfns" in node ? node : null, zoomed);
  const block = useBlockLayout(room, zoomed);
  if (!zoomed) return null;
  if (zoomed.level === "block") return block && blockScene(props, zoomed, block);
  return zone && zoneScene(props, zones, zone, zoomed);
}

function useBlockLayout({ width, height }: Room, zoomed: Zoomed | null): TileLayout | null {
  const isPhone = usePhone();
  const first = zoomed?.level === "block" ? zoomed.first_pfn : null;
  const pages = zoomed?.words.length ?? 0;
  return useMemo(
    () => (first === null ? null : blockLayout({ width, height }, first, pages, isPhone)),
    [first, pages, width, height, isPhone],
  );
}

interface Zone {
  readonly layout: CellLayout;
  readonly places: Int32Array;
}

function useZoneLayout(
  { info, node }: MapProps,
  zones: readonly ZoneView[],
  cells: CellLayout | null,
  zoomed: Zoomed | null,
): Zone | null {
  const isZone = zoomed?.level === "zone";
  return useMemo(() => {
    if (!cells || !isZone) return null;
    const layout = zoneLayout(cells, blockPages(info));
    return { layout, places: countedCells(layout, { ranges: node.ranges, zones }) };
  }, [cells, isZone, info, node, zones]);
}

function zoneScene(
  { info, node, map }: MapProps & { map: NodeMap },
  zones: readonly ZoneView[],
  { layout, places }: Zone,
  zoomed: Zoomed,
): Scene | null {
  // If a cell of the map is one pageblock, the map has the shares already.
  const shares = zoomed.shares ?? (map.kind === "cells" ? map.shares : null);
  if (!shares) return null;
  const pages = blockPages(info);
  const wordOf = (cell: number) =>
    zoomed.words[((layout.pfns[cell] ?? 0) + pages / 2 - zoomed.first_pfn) / pages] ?? 0;
  const zoneOf = (cell: number) =>
    layout.bands.find((b) => cell >= b.first && cell < b.first + b.frames)?.zone ?? "";
  const typeOf = (cell: number) => (isThere(wordOf(cell)) ? wordType(wordOf(cell)) : -1);
  const { runs } = zoomed;
  const cells: ZoneCells = { shares, places, runs, typeOf };
  const placeOf = (cell: number) => places[cell] ?? -1;
  const freeWords = (place: number) => {
    const words = runs && place >= 0 ? runWords(cellRuns(runs, place)) : "";
    return words && `; free in ${words}`;
  };
  return {
    level: "zone",
    key: "zone",
    layout,
    count: layout.pfns.length,
    isPages: false,
    label: ZOOM_SCENE.pageblocksOfNode(node.id),
    axis: ZOOM_SCENE.eachCellIsPageblock(pages, info.page_size),
    corners: <TypeKey />,
    say: (cell) =>
      blockWords(
        layout.pfns[cell] ?? 0,
        zoneOf(cell),
        typeWords(info, wordOf(cell)),
        shares,
        placeOf(cell),
        pages,
      ) + freeWords(placeOf(cell)),
    pfnOf: (cell) => (placeOf(cell) < 0 ? null : firstIn(layout, zones, node.ranges, cell)),
    indexOf: (pfn) => cellOfPfn(layout, zones, pfn),
    isOff: (cell, state) => (cellShares(shares, placeOf(cell))[state] ?? 0) === 0,
    paint: (g, palette, port) => paintZone(g, layout, cells, port, palette),
  };
}

function blockScene({ info, node, view }: MapProps, zoomed: Zoomed, layout: TileLayout): Scene {
  const { first_pfn, words } = zoomed;
  const holds = countWords(countStates(words, STATES.length));
  const type = typeWords(info, words[words.length >> 1] ?? 0);
  return {
    level: "block",
    key: `block ${first_pfn}`,
    layout,
    count: words.length,
    isPages: true,
    label: ZOOM_SCENE.pagesOfBlock(first_pfn / words.length, holds),
    axis: ZOOM_SCENE.pagesEachTile(type, info.page_size, layout.columns),
    corners: layout.tile_px >= GLYPH_TILE_PX ? <FlagKey /> : undefined,
    say: (index) =>
      pageWords(zoomed, zoneAt(view.zones, node.id, first_pfn + index)?.key, info, index),
    pfnOf: (index) => (isThere(words[index] ?? 0) ? first_pfn + index : null),
    indexOf: (pfn) => (pfn >= first_pfn && pfn < first_pfn + words.length ? pfn - first_pfn : null),
    isOff: (index, state) => wordState(words[index] ?? 0) !== state,
    paint: (g, palette, port) => paintBlock(g, layout, words, port, palette),
  };
}
