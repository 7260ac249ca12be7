import { useEffect, useMemo, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { TileLayout } from "../draw/map/pagemap";
import {
  knownUntil,
  type NearLine,
  type NearRow,
  namePlaces,
  nearLines,
  readNear,
  rowAt,
} from "../draw/nearness";
import { duration } from "../engine/format";
import { LastAsked } from "../engine/last-asked";
import type { View } from "../engine/types";
import { RichText } from "../ui/rich-text";
import { MapGrid } from "./map/MapGrid";
import { convergedWords, momentSentence } from "./process-words";
import { LOCAL_SHARES } from "./words";

/** Width of a moment's column; narrower columns are hard to point at. */
const COLUMN_PX = 4;
const AXIS_PX = 40;
const NAMES_PX = 72;
const LINE_PX = 13;
/** Above this number of lines, names do not fit next to them. */
const MOST_NAMED = 8;
/** Space above and below the plot: half a line of text each, and the time axis. */
const TOP_PX = 7;
const TIME_PX = 18;

interface SharesProps {
  readonly view: View;
  readonly width_px: number;
  readonly height_px: number;
}

/** The local share of each process over the run, one line each. */
export function LocalShares({ view, width_px, height_px }: SharesProps) {
  const workbench = useWorkbench();
  const rows = useNearness();
  const [cursor, setCursor] = useState<number | null>(null);
  const plot = {
    width: Math.max(COLUMN_PX, width_px - AXIS_PX - NAMES_PX),
    height: height_px - TOP_PX - TIME_PX,
  };
  const lines = useMemo(
    () => nearLines(rows, { width: plot.width, height: plot.height }),
    [rows, plot.width, plot.height],
  );
  const columns = Math.floor(plot.width / COLUMN_PX);
  const known_ns = knownUntil(rows);
  const many = lines.length * columns;
  const timeOf = (cell: number) => (known_ns * ((cell % columns) + 0.5)) / columns;
  const momentOf = (cell: number) => {
    const line = lines[Math.floor(cell / columns)];
    const row = rowAt(rows, timeOf(cell));
    const of = row?.processes.find(({ task }) => task === line?.task);
    return row && of ? { row, of } : null;
  };
  const nameOf = (task: number) => view.tasks.find(({ id }) => id === task)?.name ?? `task ${task}`;
  const say = (cell: number) => {
    const found = momentOf(cell);
    return found
      ? momentSentence(nameOf(found.of.task), found.of, found.row.time_ns)
      : LOCAL_SHARES.noProcess;
  };
  const pointed = cursor !== null && cursor < many ? cursor : null;
  const found = pointed === null ? null : momentOf(pointed);
  const now_x = (plot.width * Math.min(view.position.time_ns, known_ns)) / Math.max(1, known_ns);
  return (
    <div className="local-shares" style={{ width: width_px }}>
      <p className="label">
        <RichText
          text={LOCAL_SHARES.title}
          parts={{ small: (text) => <small className="cap">{text}</small> }}
        />
      </p>
      <div className="plot" style={{ height: height_px }}>
        <Axis height={plot.height} known_ns={known_ns} width={plot.width} />
        <div style={{ marginTop: TOP_PX }}>
          <MapGrid
            label={LOCAL_SHARES.chart}
            layout={gridOf(plot, columns, many)}
            count={many}
            cursor={pointed}
            setCursor={setCursor}
            say={say}
            at={(x, y) => nearest(lines, rows, { x, y, columns, plot })}
            press={(cell) => workbench.transport.seek({ kind: "time", time_ns: timeOf(cell) })}
          >
            <svg width={plot.width} height={plot.height} aria-hidden="true">
              {lines.map((line) => (
                <Line key={line.task} line={line} isPointed={found?.of.task === line.task} />
              ))}
              <rect
                className="ahead"
                x={now_x}
                width={Math.max(0, plot.width - now_x)}
                height={plot.height}
              />
              <path className="now" d={`M${now_x.toFixed(1)} 0V${plot.height}`} />
              {pointed !== null && found !== null && found.of.local !== null && (
                <circle
                  className="at"
                  cx={((pointed % columns) + 0.5) * COLUMN_PX}
                  cy={plot.height * (1 - found.of.local)}
                  r="3.5"
                />
              )}
            </svg>
          </MapGrid>
        </div>
        <Names lines={lines} height={plot.height} nameOf={nameOf} />
      </div>
      <p className="cap says">{pointed === null ? allConverged(lines, nameOf) : say(pointed)}</p>
    </div>
  );
}

/** The processes that have converged, with the times. */
const allConverged = (lines: readonly NearLine[], nameOf: (task: number) => string): string =>
  convergedWords(
    lines.flatMap(({ task, converged }) =>
      converged ? [{ name: nameOf(task), time_ns: converged.time_ns }] : [],
    ),
    lines.length,
  );

const NO_ROWS: readonly NearRow[] = [];

/** The engine's rows, requested again whenever the timeline changes. */
function useNearness(): readonly NearRow[] {
  const workbench = useWorkbench();
  const timeline = useWorkbenchState((state) => state.session?.timeline);
  const [asked] = useState(() => new LastAsked());
  const [rows, setRows] = useState(NO_ROWS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the data changes with the timeline
  useEffect(() => {
    void asked
      .ask(async (heard) => {
        const found = await heard(workbench.ask({ kind: "nearness" }));
        setRows(readNear(found.rows));
      })
      // Another experiment was opened: its own timeline follows.
      .catch(() => {});
    return () => asked.stop();
  }, [workbench, asked, timeline]);
  return rows;
}

/** The cell under a point: its column, and the nearest line in it. */
function nearest(
  lines: readonly NearLine[],
  rows: readonly NearRow[],
  { x, y, columns, plot }: { x: number; y: number; columns: number; plot: { height: number } },
): number | null {
  const column = Math.floor(x / COLUMN_PX);
  if (column < 0 || column >= columns) return null;
  const row = rowAt(rows, (knownUntil(rows) * (column + 0.5)) / columns);
  let best: { readonly line: number; readonly apart: number } | null = null;
  for (const [i, { task }] of lines.entries()) {
    const local = row?.processes.find((process) => process.task === task)?.local ?? null;
    if (local === null) continue;
    const apart = Math.abs(plot.height * (1 - local) - y);
    if (!best || apart < best.apart) best = { line: i, apart };
  }
  return best && best.line * columns + column;
}

/** Keys move from moment to moment, and from process to process. */
function gridOf(
  { width, height }: { width: number; height: number },
  columns: number,
  count: number,
): TileLayout {
  const bands = [{ zone: "", name: "", first: 0, frames: count, first_pfn: 0, y: 0 }];
  return { columns: Math.max(1, columns), tile_px: COLUMN_PX, width, height, bands };
}

function Axis({ height, known_ns, width }: { height: number; known_ns: number; width: number }) {
  return (
    <svg className="axis" width={AXIS_PX} height={height + TOP_PX + TIME_PX} aria-hidden="true">
      {[1, 0.5, 0].map((share) => {
        const y = TOP_PX + height * (1 - share);
        return (
          <g key={share}>
            <text x={AXIS_PX - 6} y={y + 4} textAnchor="end">
              {share * 100}
              {"\u202f"}%
            </text>
            <line x1={AXIS_PX} x2={AXIS_PX + width} y1={y} y2={y} />
          </g>
        );
      })}
      <text x={AXIS_PX} y={TOP_PX + height + 14}>
        0
      </text>
      <text x={AXIS_PX + width} y={TOP_PX + height + 14} textAnchor="end">
        {duration(known_ns)}
      </text>
    </svg>
  );
}

function Line({ line, isPointed }: { line: NearLine; isPointed: boolean }) {
  return (
    <g className={isPointed ? "line pointed-line" : "line"}>
      <path d={line.d} />
      {line.scans.map(({ x, y }) => (
        <path key={x} className="scan" d={`M${x.toFixed(1)} ${(y - 4).toFixed(1)}v8`} />
      ))}
      {line.converged && (
        <circle className="converged" cx={line.converged.x} cy={line.converged.y} r="3" />
      )}
    </g>
  );
}

/** The names of the lines, next to their ends. */
function Names({
  lines,
  height,
  nameOf,
}: {
  lines: readonly NearLine[];
  height: number;
  nameOf: (task: number) => string;
}) {
  const named = lines.slice(0, MOST_NAMED);
  const places = namePlaces(
    named.map(({ end }) => end.y),
    LINE_PX,
    height,
  );
  return (
    <svg className="axis" width={NAMES_PX} height={height + TOP_PX + TIME_PX} aria-hidden="true">
      {named.map(({ task }, i) => (
        <text key={task} x="6" y={TOP_PX + (places[i] ?? 0) + 4}>
          {nameOf(task)}
        </text>
      ))}
    </svg>
  );
}
