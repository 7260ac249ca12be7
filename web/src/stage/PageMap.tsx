import { useMemo, useState } from "react";
import { hex, orderWords, percent, size, zoneWords } from "../draw/format";
import {
  BAND_HEAD_PX,
  blockBoxes,
  blockOf,
  type CellLayout,
  cellAt,
  cellPlace,
  cellShares,
  type FrameLayout,
  frameAt,
  frameLayout,
  framePlace,
  indexOfPfn,
  paintCells,
  paintFrames,
  pfnOf,
} from "../draw/pagemap";
import { STATES, stateOf, stateWords } from "../draw/states";
import type { NodeMap } from "../engine/protocol";
import type { Info, NodeInfo, View } from "../engine/types";
import { Canvas } from "../ui/Canvas";
import { usePalette } from "../ui/theme";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { MapGrid } from "./MapGrid";
import { StateTable } from "./StateTable";

/** How a map is cut into tiles or cells. */
export interface MapSize {
  readonly columns: number;
  readonly rows: number;
  readonly cell_px: number;
}

interface MapProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  readonly map: NodeMap;
  readonly dimensions: MapSize;
}

/** A node's memory as a picture, with a line that says what is under the pointer. */
export function PageMap(props: MapProps) {
  const { node, view, map } = props;
  return (
    <div className="map">
      {map.kind === "frames" ? <FrameMap {...props} map={map} /> : <CellMap {...props} map={map} />}
      <StateTable node={node.id} zones={view.zones} />
    </div>
  );
}

function FrameMap({
  info,
  node,
  view,
  map,
  dimensions: { columns, cell_px },
}: MapProps & { map: Extract<NodeMap, { kind: "frames" }> }) {
  const workbench = useWorkbench();
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const bounds = view.zones
    .map(({ key, start_pfn, spanned }) => `${key} ${start_pfn} ${spanned}`)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: zones move only when their bounds do
  const layout = useMemo(() => {
    const zones = view.zones.filter((zone) => zone.node === node.id);
    return frameLayout(node.ranges, zones, columns, cell_px);
  }, [node, bounds, columns, cell_px]);
  const say = (index: number) => frameWords(layout, map, node, info.page_size, index);
  return (
    <>
      <MapGrid
        label={`Page map of node ${node.id}`}
        width={layout.width}
        height={layout.height}
        count={map.states.length}
        across={columns}
        cursor={cursor}
        setCursor={(index) => {
          setCursor(index);
          workbench.hover(index === null ? null : `page ${pfnOf(node.ranges, index)}`);
        }}
        at={(x, y) => frameAt(layout, x, y)}
        say={say}
        press={(index) => workbench.select(`page ${pfnOf(node.ranges, index)}`)}
      >
        <Canvas
          width={layout.width}
          height={layout.height}
          draw={(g) => paintFrames(g, layout, map.states, map.orders, palette)}
        />
        <FrameMarks layout={layout} map={map} node={node} view={view} />
      </MapGrid>
      <p className="axis">
        {cursor === null ? (
          <span>
            Each tile is a page of {size(1, info.page_size)}, each row{" "}
            {size(columns, info.page_size)}; outlined areas are free blocks
          </span>
        ) : (
          <span className="readout">{say(cursor)}</span>
        )}
      </p>
    </>
  );
}

/** Zone headings, the pages the last step was about, and what is hovered or selected. */
function FrameMarks({
  layout,
  map,
  node,
  view,
}: {
  layout: FrameLayout;
  map: Extract<NodeMap, { kind: "frames" }>;
  node: NodeInfo;
  view: View;
}) {
  const hovered = useWorkbenchState((state) => state.hovered);
  const selected = useWorkbenchState((state) => state.selected);
  const deciding = view.events.flatMap(({ pages }) => {
    const index = pages ? indexOfPfn(node.ranges, pages[0]) : null;
    return pages && index !== null ? [{ index, frames: 2 ** pages[1] }] : [];
  });
  const pageBoxes = (key: string) => {
    const [kind, pfn] = key.split(" ");
    const index = kind === "page" ? indexOfPfn(node.ranges, Number(pfn)) : null;
    return index === null ? [] : [index];
  };
  // A hovered state wins over a selected one, which is kept as a filter.
  const shownState = [hovered, ...selected].find((key) => key?.startsWith("state "));
  const lit = shownState ? Number(shownState.slice(6)) : null;
  return (
    <svg className="overlay" width={layout.width} height={layout.height} aria-hidden="true">
      {layout.bands.map(({ zone, name, y, first_pfn }) => (
        <g key={zone} className={hovered === `zone ${zone}` ? "band lit-hover" : "band"}>
          <text x="0" y={y - 4}>
            {name}
          </text>
          <text x={layout.width} y={y - 4} textAnchor="end" className="dim">
            from {hex(first_pfn)}
          </text>
        </g>
      ))}
      {lit !== null && <StateOutline layout={layout} map={map} state={lit} />}
      {hovered &&
        pageBoxes(hovered).map((index) => (
          <Ring key={index} layout={layout} from={index} frames={1} look="hover" />
        ))}
      {selected.flatMap(pageBoxes).map((index) => (
        <Ring key={index} layout={layout} from={index} frames={1} look="select" />
      ))}
      {deciding.map(({ index, frames }) => (
        <Ring key={`now ${index}`} layout={layout} from={index} frames={frames} look="now" />
      ))}
    </svg>
  );
}

/** Pages of one state stand out by fading the rest. */
function StateOutline({
  layout,
  map,
  state,
}: {
  layout: FrameLayout;
  map: Extract<NodeMap, { kind: "frames" }>;
  state: number;
}) {
  const { tile_px } = layout;
  let path = "";
  for (const [index, byte] of map.states.entries()) {
    const place = stateOf(byte) === state ? null : framePlace(layout, index);
    if (place) path += `M${place.x} ${place.y}h${tile_px}v${tile_px}h${-tile_px}z`;
  }
  return <path d={path} className="fade" />;
}

function Ring({
  layout,
  from,
  frames,
  look,
}: {
  layout: FrameLayout;
  from: number;
  frames: number;
  look: "hover" | "select" | "now";
}) {
  return (
    <>
      {blockBoxes(layout, from, from + frames).map(({ x, y, w, h }) => (
        <g key={`${x} ${y}`} className={`ring ${look}`}>
          <rect x={x - 2} y={y - 2} width={w + 3} height={h + 3} className="gap" />
          <rect x={x - 2} y={y - 2} width={w + 3} height={h + 3} />
        </g>
      ))}
    </>
  );
}

function frameWords(
  layout: FrameLayout,
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
  return `${hex(pfnOf(node.ranges, index))}, ${band ? zoneWords(band.zone) : ""}: ${state}${block}`;
}

function CellMap({
  info,
  node,
  map,
  dimensions,
}: MapProps & { map: Extract<NodeMap, { kind: "cells" }> }) {
  const palette = usePalette();
  const [cursor, setCursor] = useState<number | null>(null);
  const layout: CellLayout = dimensions;
  const width = layout.columns * layout.cell_px;
  const height = layout.rows * layout.cell_px;
  const frames = node.ranges.reduce((sum, [, pages]) => sum + pages, 0);
  const perCell = frames / (layout.columns * layout.rows);
  const say = (cell: number) => {
    const from = pfnOf(node.ranges, Math.floor(cell * perCell));
    return `from ${hex(from)}: ${sharesWords(cellShares(map.shares, cell))}`;
  };
  return (
    <>
      <p className="map-head">
        {node.ranges.map(([start, pages]) => (
          <span key={start}>
            {hex(start)} <span className="dim">{size(pages, info.page_size)}</span>
          </span>
        ))}
      </p>
      <MapGrid
        label={`Page map of node ${node.id}`}
        width={width}
        height={height}
        count={layout.columns * layout.rows}
        across={1}
        down={layout.rows}
        cursor={cursor}
        setCursor={setCursor}
        at={(x, y) => cellAt(layout, x, y)}
        say={say}
      >
        <Canvas
          width={width}
          height={height}
          draw={(g) => paintCells(g, layout, map.shares, palette)}
        />
        {cursor !== null && <CellRing layout={layout} cell={cursor} />}
      </MapGrid>
      <p className="axis">
        <span className={cursor === null ? "" : "readout"}>
          {cursor === null
            ? `A cell is ${size(perCell, info.page_size)}; addresses run down each column, then right`
            : say(cursor)}
        </span>
      </p>
    </>
  );
}

function CellRing({ layout, cell }: { layout: CellLayout; cell: number }) {
  const { x, y } = cellPlace(layout, cell);
  const px = layout.cell_px + 3;
  return (
    <svg className="overlay" aria-hidden="true">
      <g className="ring hover">
        <rect x={x - 2} y={y - 2} width={px} height={px} className="gap" />
        <rect x={x - 2} y={y - 2} width={px} height={px} />
      </g>
    </svg>
  );
}

const sharesWords = (shares: readonly number[]) =>
  shares
    .map((share, state) => ({ share, words: STATES[state]?.words ?? "" }))
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share)
    .map(({ share, words }) => `${percent(share)} ${words}`)
    .join(", ");

/** Height of the headings above `rows` of tiles, so that a loading page keeps their room. */
export const mapHeadsPx = (bands: number): number => bands * BAND_HEAD_PX;
