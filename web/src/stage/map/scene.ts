// What a page map shows at one level: cells in a layout, and what each of them is.

import type { ReactNode } from "react";
import type { Level, Port } from "../../draw/map/levels";
import type { TileLayout } from "../../draw/map/pagemap";
import type { Palette } from "../../draw/tile";
import type { NodeMap, Zoomed } from "../../engine/protocol";
import type { Info, NodeInfo, View } from "../../engine/types";

/** What a node's map needs. */
export interface MapProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  /** Tiles or cells in a row of the whole node, and the width of each. */
  readonly tiles: number;
  readonly tile_px: number;
  /** So much less room is kept for what it shows when it is zoomed. */
  readonly map_off_px: number;
}

/** What a page map needs. */
export interface PageMapProps extends MapProps {
  readonly map: NodeMap;
  /** Looks of this moment; a map beside a text has none and is not zoomed. */
  readonly looks: readonly Zoomed[] | null;
}

/** A level of a map at one moment. */
export interface Scene {
  readonly level: Exclude<Level, "page">;
  /** Names what is in the layout: scenes of one key differ in the moment only. */
  readonly key: string;
  readonly layout: TileLayout;
  /** Number of cells. */
  readonly count: number;
  /** Every cell is one page, which can be selected. */
  readonly isPages: boolean;
  /** What it is, for who cannot see it. */
  readonly label: string;
  /** What a cell is. */
  readonly axis: string;
  /** What the corners of cells say, where they say something. */
  readonly corners?: ReactNode;
  /** What a cell holds, in words. */
  readonly say: (cell: number) => string;
  /** The first page frame of a cell, none where it is a hole. */
  readonly pfnOf: (cell: number) => number | null;
  /** The cell of a page frame, none where it is not in the layout. */
  readonly indexOf: (pfn: number) => number | null;
  /** Has a cell nothing of a state? */
  readonly isOff: (cell: number, state: number) => boolean;
  readonly paint: (g: CanvasRenderingContext2D, palette: Palette, port: Port) => void;
}
