// Lays out the parts of the machine in a stage of a given width. Text keeps its size: with less
// space, tiles become smaller and columns move closer together, then nodes are stacked.

import type { Squeeze } from "./share";

/** The layout of the stage; all in px before the stage is enlarged. */
export interface Arrangement {
  /** Nodes side by side. */
  readonly abreast: 1 | 2;
  /** Width of one node. */
  readonly node_px: number;
  /** Whether a node has space for its free lists next to its zones. */
  readonly has_lists_beside: boolean;
  /** Zones side by side, and the width of each. */
  readonly zones_abreast: number;
  readonly zone_px: number;
  /** Tiles or cells in a row of the page map, and the width of each. */
  readonly tiles: number;
  readonly tile_px: number;
  /** Cells in a row of a map that is not squeezed; this number determines how a large machine's
      cells are merged. */
  readonly cells: number;
  /** How much less height is reserved for a zoomed map. */
  readonly map_off_px: number;
  /** Width of the whole machine. */
  readonly width_px: number;
}

/** The machine to lay out. */
export interface Machine {
  readonly nodes: number;
  readonly zones: number;
  readonly isPhone: boolean;
  /** The stage is low. */
  readonly isLow?: boolean;
  /** Two nodes of one zone each: they are side by side if their labels fit. */
  readonly isPair?: boolean;
  /** How far the parts of the machine are reduced. */
  readonly squeeze?: Squeeze;
}

/** Gap between nodes, and between the two halves of a single one. */
export const NODE_GAP_PX = 24;
const ZONE_GAP_PX = 4;
/** Room left and right of the machine; the route runs there between rows of nodes. */
const MARGIN_PX = 16;
const WIDEST_NODE_PX = 512;
const WIDEST_ZONE_PX = 168;
/** Below this width a zone's labels no longer fit next to its fill level. */
const NARROWEST_ZONE_PX = 136;
const TILES = 64;
const SMALLEST_TILE_PX = 7;
const LARGEST_TILE_PX = 11;
/** A squeezed map has smaller tiles, and more of them in a row. */
const LEAST_SQUEEZED_TILE_PX = 5;
const TILE_OFF_PX: Readonly<Record<Squeeze, number>> = { 0: 0, 1: 0, 2: 1, 3: 3 };
const MAP_OFF_PX: Readonly<Record<Squeeze, number>> = { 0: 0, 1: 0, 2: 22, 3: 42 };
/** Below this width a node has no room for the tiles at the tails of its lists. */
const NARROWEST_PAIR_PX = 244;

/** Lays out `nodes` nodes with `zones` columns each in `stage_px`; in a low stage the tiles are
    small from the start, so that lists and devices stay visible below the maps. */
export function arrange(
  stage_px: number,
  { nodes, zones, isPhone, isLow = false, isPair = false, squeeze = 0 }: Machine,
): Arrangement {
  // A stage that was not measured yet has no width; computed widths must not become negative.
  const room = Math.max(0, stage_px - 2 * MARGIN_PX);
  const widest = isLow ? TILES * SMALLEST_TILE_PX : WIDEST_NODE_PX;
  const half = Math.max(0, Math.min(widest, Math.floor((room - NODE_GAP_PX) / 2)));
  const isWide = !isPhone && half >= TILES * SMALLEST_TILE_PX;
  const isClose = isPair && !isWide && (isPhone || half >= NARROWEST_PAIR_PX);
  const abreast = isClose || (isWide && nodes > 1) ? 2 : 1;
  const has_lists_beside = isWide && nodes === 1;
  const whole = has_lists_beside ? 2 * half + NODE_GAP_PX : room;
  const node_px = abreast === 2 ? half : whole;
  const cells = isPhone || isClose ? TILES / 2 : has_lists_beside ? TILES * 2 : TILES;
  return {
    abreast,
    node_px,
    has_lists_beside,
    ...zoneColumns(isWide || isClose ? half : room, zones),
    cells,
    ...tilesIn(node_px, cells, squeeze),
    map_off_px: MAP_OFF_PX[squeeze],
    width_px: abreast * node_px + (abreast - 1) * NODE_GAP_PX,
  };
}

/** Tiles in a row and the width of each: a squeezed map fills its row with smaller ones. */
function tilesIn(node_px: number, cells: number, squeeze: Squeeze) {
  const usual_px = Math.max(1, Math.min(LARGEST_TILE_PX, Math.floor(node_px / cells)));
  const off_px = TILE_OFF_PX[squeeze];
  if (off_px === 0 || usual_px <= LEAST_SQUEEZED_TILE_PX)
    return { tiles: cells, tile_px: usual_px };
  const tile_px = Math.max(LEAST_SQUEEZED_TILE_PX, usual_px - off_px);
  return { tiles: Math.max(cells, Math.floor(node_px / tile_px)), tile_px };
}

function zoneColumns(room: number, zones: number) {
  const width = (abreast: number) =>
    Math.max(0, Math.min(WIDEST_ZONE_PX, Math.floor((room + ZONE_GAP_PX) / abreast) - ZONE_GAP_PX));
  let zones_abreast = Math.max(1, zones);
  while (zones_abreast > 1 && width(zones_abreast) < NARROWEST_ZONE_PX) zones_abreast -= 1;
  return { zones_abreast, zone_px: width(zones_abreast) };
}
