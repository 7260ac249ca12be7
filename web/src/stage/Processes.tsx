import { useState } from "react";
import {
  type HintonLayout,
  hintonLayout,
  type ProcessRow,
  processRows,
  ringPath,
} from "../draw/hinton";
import type { TileLayout } from "../draw/map/pagemap";
import type { Info, View } from "../engine/types";
import { useFit } from "../ui/fit";
import { Name } from "../ui/lit";
import { LocalShares } from "./LocalShares";
import { MapGrid } from "./map/MapGrid";
import { localFigure, placeSentence, rowSentence } from "./process-words";
import { TaskTabs } from "./TaskTabs";
import "./processes.css";
import { PROCESSES } from "./words";

interface ProcessesProps {
  readonly info: Info;
  readonly view: View;
  readonly width_px: number;
  /** Tabs switch between it, the tasks and the CPUs. */
  readonly hasTabs: boolean;
}

/** The nodes of each process's memory and threads. */
export function Processes({ info, view, width_px, hasTabs }: ProcessesProps) {
  const { hasTouch } = useFit();
  const layout = hintonLayout(view.processes.length, info.nodes.length, { width_px, hasTouch });
  const rows = processRows(view.processes, info.nodes, layout.square_px);
  return (
    <section className="processes" aria-label={PROCESSES.processesByNode}>
      <div className="hd">
        {hasTabs ? <TaskTabs /> : <h2 className="label">{PROCESSES.processesByNode}</h2>}
        <Key />
      </div>
      {rows.length === 0 ? (
        <p className="cap">{PROCESSES.allProcessesHaveEnded}</p>
      ) : (
        <div className="both">
          <Matrix rows={rows} layout={layout} nodes={info.nodes.map(({ id }) => id)} />
          <LocalShares view={view} {...sharesRoom(layout, width_px)} />
        </div>
      )}
    </section>
  );
}

/**
 * The plot is next to the matrix and has the same height; with less space than this, it is below.
 */
const BESIDE_PX = 400;
const MOST_PX = 720;
const GAP_PX = 32;
const LEAST_HIGH_PX = 112;

function sharesRoom({ width_px: taken_px, height_px }: HintonLayout, width_px: number) {
  const beside_px = width_px - taken_px - GAP_PX;
  const isBeside = beside_px >= BESIDE_PX;
  return {
    width_px: Math.min(MOST_PX, isBeside ? beside_px : width_px),
    height_px: Math.max(LEAST_HIGH_PX, height_px),
  };
}

/** A legend of squares and rings. */
function Key() {
  return (
    <span className="cap hinton-key">
      <svg width="12" height="12" aria-hidden="true">
        <rect className="memory" x="1" y="1" width="10" height="10" />
      </svg>
      {PROCESSES.shareOfItsMemory}
      <svg width="14" height="14" aria-hidden="true">
        <rect className="ring" x="1" y="1" width="12" height="12" rx="4" />
      </svg>
      {PROCESSES.shareOfItsThreads}
    </span>
  );
}

interface MatrixProps {
  readonly rows: readonly ProcessRow[];
  readonly layout: HintonLayout;
  readonly nodes: readonly number[];
}

/** A row for each process, a square for each node; keys move from cell to cell. */
function Matrix({ rows, layout, nodes }: MatrixProps) {
  const [cursor, setCursor] = useState<number | null>(null);
  // After a touch ends, the chosen cell stays, so that it can be read.
  const [chosen, setChosen] = useState<number | null>(null);
  const { cell_px, name_px, local_px, width_px } = layout;
  const many = rows.length * nodes.length;
  const say = (cell: number): string => {
    const row = rows[Math.floor(cell / nodes.length)];
    const place = row?.places[cell % nodes.length];
    return row && place ? placeSentence(row, place) : "";
  };
  const current = [cursor, chosen].find((cell) => cell !== null && cell < many) ?? null;
  return (
    <div className="hinton" style={{ width: width_px }}>
      <div className="heads" aria-hidden="true" style={{ paddingLeft: name_px }}>
        {nodes.map((node, i) => (
          <span key={node} style={{ width: cell_px }}>
            {i === 0 ? <i>{PROCESSES.node}</i> : null}
            {node}
          </span>
        ))}
        <span style={{ width: local_px }}>{PROCESSES.local}</span>
      </div>
      <div className="rows">
        <ul style={{ width: name_px }}>
          {rows.map((row) => (
            <li key={row.task} style={{ height: cell_px }}>
              <Name k={`task ${row.task}`}>{row.name}</Name>
            </li>
          ))}
        </ul>
        <MapGrid
          label={PROCESSES.processesByNodeShares}
          layout={gridOf(layout, nodes.length, many)}
          count={many}
          cursor={cursor}
          setCursor={setCursor}
          say={say}
          press={setChosen}
        >
          <Squares {...{ rows, layout, current }} columns={nodes.length} />
        </MapGrid>
        <ul style={{ width: local_px }}>
          {rows.map((row) => (
            <li key={row.task} className="num" style={{ height: cell_px }} title={rowSentence(row)}>
              <span aria-hidden="true">{localFigure(row)}</span>
              <span className="sr">{rowSentence(row)}</span>
            </li>
          ))}
        </ul>
      </div>
      <p className="cap says">{current === null ? PROCESSES.localShare : say(current)}</p>
    </div>
  );
}

function gridOf({ cell_px, height_px }: HintonLayout, columns: number, count: number): TileLayout {
  const bands = [{ zone: "", name: "", first: 0, frames: count, first_pfn: 0, y: 0 }];
  return { columns, tile_px: cell_px, width: columns * cell_px, height: height_px, bands };
}

function Squares({
  rows,
  layout,
  columns,
  current,
}: Omit<MatrixProps, "nodes"> & { columns: number; current: number | null }) {
  const { cell_px, height_px } = layout;
  const ring = ringPath(layout);
  return (
    <svg width={columns * cell_px} height={height_px} aria-hidden="true">
      {rows.map((row, y) =>
        row.places.map(({ node, side_px, ring: part }, x) => {
          const inset = (cell_px - side_px) / 2;
          return (
            <g
              key={`${row.task} ${node}`}
              transform={`translate(${x * cell_px} ${y * cell_px})`}
              data-process={row.task}
              data-node={node}
            >
              <path className="frame" d={ring} />
              <rect className="memory" x={inset} y={inset} width={side_px} height={side_px} />
              {part > 0 && (
                <path
                  className="ring"
                  d={ring}
                  pathLength={1}
                  strokeDasharray={part < 1 ? `${part} 1` : undefined}
                />
              )}
              {current === y * columns + x && (
                <rect className="pointed" x="0" y="0" width={cell_px} height={cell_px} />
              )}
            </g>
          );
        }),
      )}
    </svg>
  );
}
