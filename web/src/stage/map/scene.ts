// One level of a page map: cells in a layout, and their contents.

import type { ReactNode } from "react";
import type { Level, Port } from "../../draw/map/levels";
import type { TileLayout } from "../../draw/map/pagemap";
import type { Palette } from "../../draw/tile";
import type { NodeMap, Zoomed } from "../../engine/protocol";
import type { Info, NodeInfo, View } from "../../engine/types";

/** Props of a node's map. */
export interface MapProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  /** Tiles or cells in a row of the whole node, and their width. */
  readonly tiles: number;
  readonly tile_px: number;
  /** The zoomed map gets this much less room. */
  readonly map_off_px: number;
}

/** Props of a page map. */
export interface PageMapProps extends MapProps {
  readonly map: NodeMap;
  /** The engine's data at this moment; null for a map next to a text, which is not zoomed. */
  readonly zoomed: readonly Zoomed[] | null;
}

/** A level of a map at one moment. */
export interface Scene {
  readonly level: Exclude<Level, "page">;
  /** Identifies the layout: scenes with one key differ only in the moment. */
  readonly key: string;
  readonly layout: TileLayout;
  /** Number of cells. */
  readonly count: number;
  /** Every cell is one page, which can be selected. */
  readonly isPages: boolean;
  /** Its description for screen readers. */
  readonly label: string;
  /** The meaning of a cell. */
  readonly axis: string;
  /** A legend of the cells' corner marks, if there are any. */
  readonly corners?: ReactNode;
  /** The contents of a cell in words. */
  readonly say: (cell: number) => string;
  /** The first page frame of a cell; null for a hole. */
  readonly pfnOf: (cell: number) => number | null;
  /** The cell of a page frame; null if it is not in the layout. */
  readonly indexOf: (pfn: number) => number | null;
  /** Has a cell no page of a state? */
  readonly isOff: (cell: number, state: number) => boolean;
  readonly paint: (g: CanvasRenderingContext2D, palette: Palette, port: Port) => void;
}
