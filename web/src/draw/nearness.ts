// How much of each process's memory is local, over the run: a line for each process, with its
// scans, and the moment from which it stays on one node.

/** A process at a moment. */
export interface NearMoment {
  readonly task: number;
  /** Share of its pages on the node of the thread that uses them, 0 to 1; null without pages or
   * threads. */
  readonly local: number | null;
  /** The number of nodes on which the threads of the process are. */
  readonly nodes: number;
  /** Passes over its memory so far. */
  readonly scans: number;
}

/** All processes at a moment. */
export interface NearRow {
  readonly time_ns: number;
  readonly processes: readonly NearMoment[];
}

/**
 * The number of values per process in a row, and the number of values before them: count, time,
 * since.
 */
const EACH = 4;
const HEAD = 3;
const ALL_LOCAL = 1000;

/** Parses the engine's rows; see its `Sample::write_near`. */
export function readNear(rows: Float64Array): readonly NearRow[] {
  const read: NearRow[] = [];
  for (let at = 0; at < rows.length; at += 1 + (rows[at] ?? 0)) {
    const processes: NearMoment[] = [];
    const end = at + 1 + (rows[at] ?? 0);
    for (let i = at + HEAD; i < end; i += EACH) {
      const [task = 0, local = -1, nodes = 0, scans = 0] = rows.subarray(i, i + EACH);
      processes.push({ task, local: local < 0 ? null : local / ALL_LOCAL, nodes, scans });
    }
    // The clocks of CPUs differ slightly.
    read.push({ time_ns: Math.max(read.at(-1)?.time_ns ?? 0, rows[at + 1] ?? 0), processes });
  }
  return read;
}

/** The available room, px. */
interface NearRoom {
  readonly width: number;
  readonly height: number;
}

/** A process over the run. */
export interface NearLine {
  readonly task: number;
  /** A path for each segment with a known share. */
  readonly d: string;
  /** Where passes over its memory ended. */
  readonly scans: readonly { readonly x: number; readonly y: number }[];
  /** From here on all its threads are on one node, and so is nearly all of its memory. */
  readonly converged: { readonly x: number; readonly y: number; readonly time_ns: number } | null;
  /** The end of the line, and the share there. */
  readonly end: { readonly x: number; readonly y: number; readonly local: number };
}

/** With a local share of at least this and all threads on one node, a process has converged. */
const CONVERGED = 0.95;
/** Closer marks of scans would overlap. */
const LEAST_APART_PX = 5;

/** The last known moment, ns. */
export const knownUntil = (rows: readonly NearRow[]): number => rows.at(-1)?.time_ns ?? 0;

/** The lines of all processes, in the order of their first appearance. */
export function nearLines(rows: readonly NearRow[], room: NearRoom): readonly NearLine[] {
  const known_ns = Math.max(1, knownUntil(rows));
  const x = (time_ns: number) => (room.width * time_ns) / known_ns;
  const y = (local: number) => room.height * (1 - local);
  const tasks = [...new Set(rows.flatMap(({ processes }) => processes.map(({ task }) => task)))];
  return tasks.flatMap((task) => {
    const line = lineOf(rows, task, { x, y });
    return line ? [line] : [];
  });
}

interface Scale {
  readonly x: (time_ns: number) => number;
  readonly y: (local: number) => number;
}

function lineOf(rows: readonly NearRow[], task: number, { x, y }: Scale): NearLine | null {
  let d = "";
  let isOn = false;
  let scanned = 0;
  let end: NearLine["end"] | null = null;
  let converged: NearLine["converged"] = null;
  const scans: { x: number; y: number }[] = [];
  for (const { time_ns, processes } of rows) {
    const of = processes.find((process) => process.task === task);
    if (!of || of.local === null) {
      isOn = false;
      continue;
    }
    const point = { x: x(time_ns), y: y(of.local) };
    d += `${isOn ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    isOn = true;
    if (of.scans > scanned) {
      const before = scans.at(-1);
      if (!before || point.x - before.x >= LEAST_APART_PX) scans.push(point);
      scanned = of.scans;
    }
    const isNear = of.nodes === 1 && of.local >= CONVERGED;
    converged = isNear ? (converged ?? { ...point, time_ns }) : null;
    end = { ...point, local: of.local };
  }
  return end && { task, d, scans, converged, end };
}

/** The row that is valid at a time: the last row up to that time. */
export function rowAt(rows: readonly NearRow[], time_ns: number): NearRow | null {
  let found: NearRow | null = null;
  for (const row of rows) {
    if (row.time_ns > time_ns && found) break;
    found = row;
  }
  return found;
}

/** Heights for the names next to the ends of lines, without overlaps. */
export function namePlaces(ends: readonly number[], line_px: number, height: number): number[] {
  const order = ends.map((_, i) => i).sort((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  const places = [...ends];
  let free = 0;
  for (const i of order) {
    places[i] = Math.max(free, ends[i] ?? 0);
    free = (places[i] ?? 0) + line_px;
  }
  // Names that would lie below the last line push the others up.
  let most = height;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i] ?? 0, most);
    most = (places[i] ?? 0) - line_px;
  }
  return places;
}
