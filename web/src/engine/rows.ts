// Reads moments of a run from the engine's rows. Times are in ns, memory in pages. Workers use this
// file too, so it draws nothing.

/** The activities of a task at a moment, in the engine's order. */
const DOINGS = [
  "gone",
  "asleep",
  "running",
  "ready",
  "reclaiming",
  "throttled",
  "io",
  "written",
  "isolated",
  "noprogress",
  "congested",
] as const;
/** One of {@link DOINGS}. */
export type Doing = (typeof DOINGS)[number];

/** The activities of a task that reclaim throttles, by what it waits for. */
export const RECLAIM_WAITS = ["written", "isolated", "noprogress", "congested"] as const;
/** One of {@link RECLAIM_WAITS}. */
export type ReclaimWait = (typeof RECLAIM_WAITS)[number];

/** Moments of a run, oldest first. */
export interface Series {
  readonly rows: Float64Array;
  /** The index at which each row begins. */
  readonly starts: readonly number[];
  /** The time since which the state of each row holds, ns; never less than in the previous row. */
  readonly since: readonly number[];
  readonly length: number;
  /** The number of zones; each row has the free pages of each. */
  readonly zones: number;
  /** The number of counters in each row. */
  readonly counters: number;
}

/** Parses the engine's rows of a machine with `zones` zones; see its `Sample::write`. */
export function readSeries(rows: Float64Array, zones: number): Series {
  const starts: number[] = [];
  const since: number[] = [];
  for (let at = 0; at < rows.length; at += 1 + (rows[at] ?? 0)) {
    starts.push(at);
    // The clocks of CPUs differ slightly.
    since.push(Math.max(since.at(-1) ?? 0, rows[at + SINCE] ?? 0));
  }
  const counters = rows[1] ?? 0;
  return { rows, starts, since, length: starts.length, zones, counters };
}

/** A row without counters and tasks. */
export const rowOf = ({
  step,
  time_ns,
  free,
}: {
  step: number;
  time_ns: number;
  free: readonly number[];
}): Float64Array => Float64Array.from([FREE + free.length, 0, step, time_ns, time_ns, ...free, 0]);

const STEP = 2;
const TIME = 3;
const SINCE = 4;
const FREE = 5;
/** The number of tasks packed into one number, four bits each. */
const PACKED = 13;
/**
 * The number of tasks in one packed number, one bit each, which says whether the task began to
 * reclaim.
 */
const RECLAIMS_PACKED = 52;

const at = ({ rows, starts }: Series, row: number, column: number) =>
  rows[(starts[row] ?? Number.POSITIVE_INFINITY) + column] ?? 0;

/** The number of an activity in a row. */
export const doingNumber = (doing: Doing): number => DOINGS.indexOf(doing);

/** A moment before it is packed into a row; activities by number. */
interface UnpackedRow {
  readonly step: number;
  readonly time_ns: number;
  readonly free: readonly number[];
  readonly counters: readonly number[];
  readonly doing: readonly number[];
  /** For each task, whether it began to reclaim since the previous row. */
  readonly reclaimed: readonly boolean[];
}

/** A row as the engine writes it. */
export function packedRow({
  step,
  time_ns,
  free,
  counters,
  doing,
  reclaimed,
}: UnpackedRow): Float64Array {
  const packed = new Array<number>(Math.ceil(doing.length / PACKED)).fill(0);
  for (const [task, number] of doing.entries()) {
    packed[Math.floor(task / PACKED)] =
      (packed[Math.floor(task / PACKED)] ?? 0) + number * 16 ** (task % PACKED);
  }
  const bits = new Array<number>(Math.ceil(reclaimed.length / RECLAIMS_PACKED)).fill(0);
  for (const [task, isTrue] of reclaimed.entries()) {
    const at = Math.floor(task / RECLAIMS_PACKED);
    if (isTrue) bits[at] = (bits[at] ?? 0) + 2 ** (task % RECLAIMS_PACKED);
  }
  const values = [step, time_ns, time_ns, ...free, ...counters, doing.length, ...packed, ...bits];
  return Float64Array.from([values.length + 1, counters.length, ...values]);
}

/** Virtual time of a row, ns. */
export const rowTime = (series: Series, row: number): number => at(series, row, TIME);
/**
 * The time since which the state of a row holds: before the row's time if nothing happened for a
 * while.
 */
export const rowSince = (series: Series, row: number): number => series.since[row] ?? 0;
/** Step of a row. */
export const rowStep = (series: Series, row: number): number => at(series, row, STEP);
/** Free pages of a zone in a row. */
export const rowFree = (series: Series, row: number, zone: number): number =>
  at(series, row, FREE + zone);
/** A counter in a row, by its index among the requested ones. */
export const rowCounter = (series: Series, row: number, counter: number): number =>
  at(series, row, FREE + series.zones + counter);

/** Whether reclaim throttles any task in any row. */
export function hasReclaimWaits(series: Series): boolean {
  for (let row = 0; row < series.length; row += 1) {
    const tasks = at(series, row, FREE + series.zones + series.counters);
    for (let task = 0; task < tasks; task += 1) {
      if ((RECLAIM_WAITS as readonly Doing[]).includes(rowDoing(series, row, task))) return true;
    }
  }
  return false;
}

/** The activity of a task in a row. */
export function rowDoing(series: Series, row: number, task: number): Doing {
  const tasks = FREE + series.zones + series.counters;
  if (task >= at(series, row, tasks)) return "gone";
  const packed = at(series, row, tasks + 1 + Math.floor(task / PACKED));
  return DOINGS[Math.floor(packed / 16 ** (task % PACKED)) % 16] ?? "gone";
}

/**
 * Whether a task began to reclaim since the previous row: short reclaim can happen between two
 * rows.
 */
export function rowReclaimed(series: Series, row: number, task: number): boolean {
  const tasks = FREE + series.zones + series.counters;
  const many = at(series, row, tasks);
  if (task >= many) return false;
  const bits = tasks + 1 + Math.ceil(many / PACKED) + Math.floor(task / RECLAIMS_PACKED);
  if (bits > at(series, row, 0)) return false;
  return Math.floor(at(series, row, bits) / 2 ** (task % RECLAIMS_PACKED)) % 2 === 1;
}
