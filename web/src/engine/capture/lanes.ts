// The activity of each task over time, as far as a trace shows it: from events that begin and end
// reclaim, from events that report a wait, and from the presence of any event of the task.

import { type Rec, readRecord, valuesByName } from "../record";
import { type Doing, RECLAIM_WAITS } from "../rows";
import type { RecordKind } from "../types";
import type { TraceInfo, TraceSource } from "./answers";

/** A time interval with an activity of a task that events identify. */
export interface Interval {
  readonly task: number;
  readonly doing: Doing;
  readonly from_ns: number;
  readonly to_ns: number;
}

/** Pairs of events that begin and end an activity of one task. */
const PAIRS: readonly (readonly [begin: string, end: string, doing: Doing])[] = [
  ["mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end", "reclaiming"],
  ["mm_vmscan_memcg_reclaim_begin", "mm_vmscan_memcg_reclaim_end", "reclaiming"],
  [
    "mm_vmscan_memcg_softlimit_reclaim_begin",
    "mm_vmscan_memcg_softlimit_reclaim_end",
    "reclaiming",
  ],
  ["mm_vmscan_node_reclaim_begin", "mm_vmscan_node_reclaim_end", "reclaiming"],
  ["mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep", "reclaiming"],
];

/** Events at the end of a wait; they contain the length of the wait in µs. */
const WAITS: ReadonlySet<string> = new Set([
  "mm_vmscan_throttled",
  "writeback_congestion_wait",
  "writeback_wait_iff_congested",
]);

/** The maximum number of intervals that are kept. */
const MOST_INTERVALS = 1 << 19;
/** The maximum number of events to read at once. */
export const CHUNK = 1 << 15;

/** The records of a trace by kind: those of the catalog, and those that only this trace has. */
export function recordsOf(
  catalog: readonly RecordKind[],
  info: Pick<TraceInfo, "kinds">,
): readonly RecordKind[] {
  const records = [...catalog];
  for (const { number, name, fields } of info.kinds) {
    const known = catalog[number];
    records[number] = known
      ? { ...known, fields }
      : {
          name,
          kind: "event",
          tracepoint: true,
          about:
            "The engine does not know this event. The page shows the fields as the kernel printed them.",
          source: "",
          template: null,
          fields,
          watermark: null,
        };
  }
  return records;
}

/** An index of all events of a trace, so that the trace need not be read again. */
export interface TraceIndex {
  /** The time of each event, ns from the first one. */
  readonly times: Float64Array;
  /** The task of each event. */
  readonly tasks: Uint32Array;
  /** Sorted by their start. */
  readonly intervals: readonly Interval[];
}

/** No event. */
export const NO_INDEX: TraceIndex = {
  times: new Float64Array(),
  tasks: new Uint32Array(),
  intervals: [],
};

/** Reads all events of a trace once. */
export function indexOf(
  source: TraceSource,
  { stored, to_ns }: Pick<TraceInfo, "stored" | "to_ns">,
  records: readonly RecordKind[],
): TraceIndex {
  const times = new Float64Array(stored);
  const tasks = new Uint32Array(stored);
  const stretches = new Stretches();
  const named = new Set(records.flatMap(({ name }, kind) => (isNamed(name) ? [kind] : [])));
  let event = 0;
  for (let from = 0; from < stored; from += CHUNK) {
    const rows = source.rows(from, Math.min(stored, from + CHUNK));
    for (let at = 0; at < rows.length; at += rows[at] || 1) {
      times[event] = rows[at + 2] ?? 0;
      tasks[event] = rows[at + 3] ?? 0;
      event += 1;
      if (!named.has(rows[at + 6] ?? -1)) continue;
      stretches.take(readRecord({ records }, rows.subarray(at, at + (rows[at] ?? 0))));
    }
  }
  return { times, tasks, intervals: stretches.end(to_ns) };
}

const pairOf = (name: string) => PAIRS.find(([begin, end]) => name === begin || name === end);
const isNamed = (name: string) => pairOf(name) !== undefined || WAITS.has(name);

/** Collects the intervals of all tasks. */
class Stretches {
  readonly #begun = new Map<string, number>();
  readonly #known = new Set<string>();
  readonly #intervals: Interval[] = [];

  take(record: Rec): void {
    if (this.#intervals.length >= MOST_INTERVALS) return;
    const { name, task, time_ns } = record;
    const pair = pairOf(name);
    if (!pair) {
      this.#wait(record);
      return;
    }
    const [begin, , doing] = pair;
    const key = `${begin} ${task}`;
    if (name === begin) {
      if (!this.#begun.has(key)) this.#begun.set(key, time_ns);
    } else {
      // If the start of the first interval of a task is missing, it began before the trace.
      const from_ns = this.#begun.get(key) ?? (this.#known.has(key) ? null : 0);
      if (from_ns !== null) this.#intervals.push({ task, doing, from_ns, to_ns: time_ns });
      this.#begun.delete(key);
    }
    this.#known.add(key);
  }

  #wait(record: Rec) {
    const { usec_delayed: us, reason } = valuesByName(record);
    if (typeof us !== "number" || us === 0) return;
    const { name, task, time_ns } = record;
    const known = typeof reason === "number" ? RECLAIM_WAITS[reason] : undefined;
    const doing = name === "mm_vmscan_throttled" ? (known ?? "throttled") : "congested";
    const from_ns = Math.max(0, time_ns - us * 1000);
    this.#intervals.push({ task, doing, from_ns, to_ns: time_ns });
  }

  /** All intervals; intervals in progress end with the trace. */
  end(to_ns: number): readonly Interval[] {
    for (const [key, from_ns] of this.#begun) {
      const [begin = "", task] = key.split(" ");
      const doing = pairOf(begin)?.[2] ?? "reclaiming";
      this.#intervals.push({ task: Number(task), doing, from_ns, to_ns });
    }
    return this.#intervals.sort((a, b) => a.from_ns - b.from_ns);
  }
}

/** The number of events up to and including a time. */
export function eventsUntil(times: Float64Array, time_ns: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time_ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The activities of all tasks in intervals of equal length. */
export class Activity {
  readonly #tasks: number;
  readonly #doing: Uint8Array;
  readonly #short: Uint8Array;

  constructor(tasks: number, buckets: number) {
    this.#tasks = tasks;
    this.#doing = new Uint8Array(tasks * buckets);
    this.#short = new Uint8Array(tasks * buckets);
  }

  /** A task recorded an event. */
  seen(task: number, bucket: number): void {
    const at = bucket * this.#tasks + task;
    if (task < this.#tasks && this.#doing[at] === 0) this.#doing[at] = RUNNING;
  }

  /** Marks an activity of a task from one bucket to another, and at the start of some of them. */
  did(task: number, doing: number, from: number, to: number, isShort: boolean): void {
    if (task >= this.#tasks) return;
    for (let bucket = from; bucket <= to; bucket += 1) {
      const at = bucket * this.#tasks + task;
      if (isShort) this.#short[at] = 1;
      else this.#doing[at] = doing;
    }
  }

  /** The activity as a number of the engine's rows. */
  doing(task: number, bucket: number): number {
    return this.#doing[bucket * this.#tasks + task] ?? 0;
  }

  /** Whether a task reclaimed for less than the length of the interval. */
  isShort(task: number, bucket: number): boolean {
    return this.#short[bucket * this.#tasks + task] === 1;
  }
}

/** The number of "running" in the engine's rows: the task recorded an event. */
const RUNNING = 2;
