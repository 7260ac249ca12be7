// A machine with hand-made answers of the engine: two tasks, one zone, a few events, two samples.

import { NOTHING } from "../record";
import type { Capture, CaptureCalls, TraceInfo, TraceSource } from "./answers";
import { Intake } from "./intake";
import { type Machine, machineOf } from "./open";

const MS = 1e6;

/** Kinds of the events below, by name. */
export const KINDS = {
  mm_vmscan_kswapd_wake: 0,
  mm_vmscan_kswapd_sleep: 1,
  mm_vmscan_direct_reclaim_begin: 2,
  mm_vmscan_direct_reclaim_end: 3,
  mm_vmscan_wakeup_kswapd: 4,
} as const;

interface Event {
  readonly name: keyof typeof KINDS;
  readonly ms: number;
  readonly task: number;
  readonly values: readonly number[];
}

/** kswapd (task 0) is awake from 100 to 300 ms; hog (task 1) reclaims for 1 ms at 200 ms. */
export const EVENTS: readonly Event[] = [
  { name: "mm_vmscan_wakeup_kswapd", ms: 0, task: 1, values: [0, 7] },
  { name: "mm_vmscan_kswapd_wake", ms: 100, task: 0, values: [0, 0] },
  { name: "mm_vmscan_direct_reclaim_begin", ms: 200, task: 1, values: [0] },
  { name: "mm_vmscan_direct_reclaim_end", ms: 201, task: 1, values: [32] },
  { name: "mm_vmscan_kswapd_sleep", ms: 300, task: 0, values: [0] },
];

const FIELDS: Readonly<Record<keyof typeof KINDS, TraceInfo["kinds"][number]["fields"]>> = {
  mm_vmscan_kswapd_wake: [
    { name: "nid", kind: "node" },
    { name: "order", kind: "order" },
  ],
  mm_vmscan_kswapd_sleep: [{ name: "nid", kind: "node" }],
  mm_vmscan_direct_reclaim_begin: [{ name: "order", kind: "order" }],
  mm_vmscan_direct_reclaim_end: [{ name: "nr_reclaimed", kind: "count" }],
  mm_vmscan_wakeup_kswapd: [
    { name: "nid", kind: "node" },
    { name: "zid", kind: "zone" },
  ],
};

const INFO: TraceInfo = {
  dialect: { name: "6.1", oldest: "5.15", newest: "6.1", source: "trace", why: [] },
  events: EVENTS.length,
  stored: EVENTS.length,
  message: null,
  lines: 20,
  lost: 0,
  clock: "6.0",
  to_ns: 300 * MS,
  cpus: [0],
  kinds: Object.entries(KINDS).map(([name, number]) => ({
    number,
    name,
    engine: true,
    count: EVENTS.filter((event) => event.name === name).length,
    fields: FIELDS[name as keyof typeof KINDS],
  })),
  unknown: [],
  tasks: [
    { id: 0, pid: 37, comm: "kswapd0" },
    { id: 1, pid: 182, comm: "hog" },
  ],
  // The trace uses its own zone numbers.
  zones: [{ id: 7, node: 0, name: "Normal" }],
  texts: [],
  refusals: [],
  refused: 0,
};

/** A trace with the events above, in the layout of the engine's rows. */
const source = (): TraceSource => ({
  feed: () => {},
  finish: () => JSON.stringify(INFO),
  free: () => {},
  rows: (from, to, filter) => {
    const { kinds, tasks } = JSON.parse(filter ?? "{}");
    const rows = EVENTS.slice(from, to).flatMap(({ name, ms, task, values }, i) => {
      const kind = KINDS[name];
      if (kinds && !kinds.includes(kind)) return [];
      if (tasks && !tasks.includes(task)) return [];
      const head = [8 + values.length, from + i + 1, ms * MS, task, 0, NOTHING, kind, NOTHING];
      return [...head, ...values];
    });
    return Float64Array.from(rows);
  },
  samples: (names, buckets) => {
    const files: string[] = JSON.parse(names);
    const rows = Array.from({ length: buckets }, (_, i) => {
      const end = ((i + 1) / buckets) * INFO.to_ns;
      const seen = EVENTS.filter(({ ms }) => ms * MS <= end);
      return [end, ...files.map((name) => seen.filter((event) => event.name === name).length)];
    });
    return Float64Array.from(rows.flat());
  },
});

const CAPTURE: Partial<Capture> = {
  name: "hog",
  kind: "run",
  release: "6.1.0-50-amd64",
  kernel: "6.1",
  page_kib: 4,
  workload: "hog",
  machine: {
    zones: [{ node: 0, zone: "DMA32", managed: 1000, min: 10, low: 12, high: 15, free: 900 }],
    lru_gen: false,
  },
  lacks: [],
  notes: [],
  counters: [{ name: "pgfault", before: 5, after: 25 }],
  samples: {
    columns: ["mono_s", "free_n0_DMA32", "free_n0_Movable", "pgfault"],
    rows: [
      [5.9, 900, 0, 5],
      [6.2, 400, 0, 25],
    ],
  },
  workload_s: [6, 6.3],
  twin: { refused: [] },
};

/** The files of the machine, read. */
export function machine(): { readonly machine: Machine; readonly source: TraceSource } {
  const calls: CaptureCalls = {
    newTrace: source,
    read_capture: () => JSON.stringify({ ok: CAPTURE }),
    explain_machine: () => JSON.stringify({ ok: { documents: [], refusals: [] } }),
    read_series: () => JSON.stringify({ refused: [] }),
  };
  const intake = new Intake(calls);
  const give = (name: string, text: string) => {
    const sink = intake.take(name);
    sink.push(new TextEncoder().encode(text));
    sink.end();
  };
  give("before.txt", "=== zoneinfo\n");
  give("trace.txt", "# tracer: nop\n");
  const [trace] = intake.traces;
  if (!trace) throw new Error("the trace was not read");
  return { machine: machineOf(intake, calls, trace), source: trace.source };
}
