// The log for other programs: a table, objects, and a trace that timeline viewers open.

import { type Doing, readSeries, rowFree, rowTime } from "../draw/rows";
import { lanePieces } from "../draw/series";
import { type LogEvent, type LogField, sentenceText } from "./rows";
import { csvText } from "./save";

/** Units of fields whose name does not tell, by field name. */
const UNITS: Readonly<Record<string, string>> = {
  available: "pages",
  bdi_dirty: "pages",
  dirtied: "pages",
  dirty: "pages",
  limit: "pages",
  min_wmark: "pages",
  nr_deactivated: "pages",
  nr_pages: "pages",
  nr_reclaimed: "pages",
  nr_referenced: "pages",
  nr_requested: "pages",
  nr_scanned: "pages",
  nr_skipped: "pages",
  nr_taken: "pages",
  pause: "ms",
  reclaimable: "pages",
};

/** A field's name with its unit: "nr_scanned_pages". */
const keyOf = ({ name }: LogField): string => {
  const unit = UNITS[name];
  return unit ? `${name}_${unit}` : name;
};

/** What names something is written by its name, anything else as its number. */
function plainOf({ kind, value, text }: LogField): string | number | null {
  return kind === "number" || kind === "page" || kind === "node" ? value : text;
}

const COLUMNS = [
  "step",
  "time_ns",
  "cpu",
  "task",
  "pid",
  "event",
  "kernel_tracepoint",
  "zone",
  "pfn",
] as const;

/** The columns all events have. */
const head = (event: LogEvent) => ({
  step: event.step,
  time_ns: event.time_ns,
  cpu: event.cpu,
  task: event.taskName,
  pid: event.pid,
  event: event.name,
  kernel_tracepoint: event.isTracepoint,
  zone: event.zone,
  pfn: event.pfn,
});

/**
 * A table (RFC 4180): one row for each event or decision, its fields as "name=value" in one column,
 * a decision's sentence in the last.
 */
export function csv(events: readonly LogEvent[]): string {
  const rows = events.map((event) => {
    const all = head(event);
    const fields = event.fields.map((field) => `${keyOf(field)}=${plainOf(field) ?? ""}`).join(" ");
    return [...COLUMNS.map((name) => all[name]), fields, sentenceText(event)];
  });
  return csvText([[...COLUMNS, "fields", "sentence"], ...rows]);
}

/** A list of objects; units are in the names. A decision has its sentence. */
export function json(events: readonly LogEvent[]): string {
  const objects = events.map((event) => ({
    ...head(event),
    fields: Object.fromEntries(event.fields.map((field) => [keyOf(field), plainOf(field)])),
    ...(event.sentence && { sentence: sentenceText(event) }),
  }));
  return `[${objects.map((object) => `\n${JSON.stringify(object)}`).join(",")}\n]\n`;
}

/** What a trace shows beside its events. */
export interface TraceContext {
  /** What the process is called: the experiment's title. */
  readonly title: string;
  /** Keys of the zones. */
  readonly zones: readonly string[];
  /** Moments of the run, see `draw/series`. */
  readonly timeline: Float64Array;
  /** Tasks by id. */
  readonly tasks: ReadonlyMap<number, { readonly name: string; readonly pid: number }>;
}

type TraceEvent = Readonly<Record<string, unknown>>;

const PROCESS = 1;
/** Two events of one task between which it was in one thing: (begins, ends, what). */
const STRETCHES = [
  ["mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end", "direct reclaim"],
  ["mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep", "kswapd awake"],
] as const;

const us = (time_ns: number): number => time_ns / 1000;

/** A trace as timeline viewers read it: a lane for each task, a counter for each zone. */
export function chromeTrace(events: readonly LogEvent[], context: TraceContext): string {
  const lanes = new Map(events.map(({ pid, taskName }) => [pid, taskName]));
  const traceEvents: TraceEvent[] = [
    { ph: "M", name: "process_name", pid: PROCESS, args: { name: context.title } },
    ...[...lanes].map(([tid, name]) => ({
      ph: "M",
      name: "thread_name",
      pid: PROCESS,
      tid,
      args: { name },
    })),
    ...counters(context, events),
    ...states(context, events),
    ...stretches(events),
    ...events.map(instant),
  ];
  const lines = traceEvents.map((event) => `\n${JSON.stringify(event)}`);
  // No displayTimeUnit: some versions of Perfetto took it for the unit of the times, which is the us.
  return `{"traceEvents":[${lines.join(",")}\n]}\n`;
}

function instant(event: LogEvent): TraceEvent {
  const { name, isTracepoint, time_ns, pid, step, cpu } = event;
  const fields = event.fields.map((field): [string, unknown] => [
    keyOf(field),
    field.kind === "page" ? field.text : plainOf(field),
  ]);
  return {
    ph: "i",
    s: "t",
    name,
    cat: isTracepoint ? "tracepoint" : event.sentence ? "decision" : "engine",
    ts: us(time_ns),
    pid: PROCESS,
    tid: pid,
    args: {
      ...Object.fromEntries(fields),
      ...(event.sentence && { sentence: sentenceText(event) }),
      step,
      cpu,
    },
  };
}

/** Free pages of each zone, over the time the events are from. */
function counters({ zones, timeline }: TraceContext, events: readonly LogEvent[]): TraceEvent[] {
  const series = readSeries(timeline, zones.length);
  const [first, last] = [events[0]?.time_ns ?? 0, events.at(-1)?.time_ns ?? 0];
  const out: TraceEvent[] = [];
  for (let row = 0; row < series.length; row += 1) {
    const time_ns = rowTime(series, row);
    // The row before the first event says where the counter stood.
    const next_ns = row + 1 < series.length ? rowTime(series, row + 1) : Number.POSITIVE_INFINITY;
    if (next_ns < first || time_ns > last) continue;
    zones.forEach((zone, i) => {
      const args = { pages: rowFree(series, row, i) };
      out.push({ ph: "C", name: `free pages ${zone}`, ts: us(time_ns), pid: PROCESS, args });
    });
  }
  return out;
}

/** Added to a task's pid for the track of what it did: slices of one track may only nest. */
const STATES_TRACK = 1_000_000;
/** What is drawn of a task's moments. */
const STATES: Partial<Record<Doing, string>> = {
  running: "running",
  ready: "waits for its CPU",
  reclaiming: "reclaiming",
  throttled: "throttled",
  io: "I/O wait",
};

/** What each task did at the timeline's moments, over the time the events are from. */
function states(
  { zones, timeline, tasks }: TraceContext,
  events: readonly LogEvent[],
): TraceEvent[] {
  const series = readSeries(timeline, zones.length);
  const [first, last] = [events[0]?.time_ns ?? 0, events.at(-1)?.time_ns ?? 0];
  return [...tasks].flatMap(([id, { name, pid }]) => {
    const tid = STATES_TRACK + pid;
    const pieces = lanePieces(series, id, last).flatMap(({ doing, from_ns, to_ns }) => {
      const what = STATES[doing];
      const [from, to] = [Math.max(first, from_ns), Math.min(last, to_ns)];
      if (!what || to <= from) return [];
      return [
        {
          ph: "X",
          name: what,
          cat: "moments",
          ts: us(from),
          dur: us(to - from),
          pid: PROCESS,
          tid,
        },
      ];
    });
    const track = { ph: "M", name: "thread_name", pid: PROCESS, tid };
    return pieces.length > 0
      ? [{ ...track, args: { name: `${name}, at moments` } }, ...pieces]
      : [];
  });
}

/** What began and ended within the events of one task. */
function stretches(events: readonly LogEvent[]): TraceEvent[] {
  const begun = new Map<string, LogEvent>();
  return events.flatMap((event): TraceEvent[] => {
    const stretch = STRETCHES.find(([begin, end]) => event.name === begin || event.name === end);
    if (!stretch) return [];
    const [begin, , name] = stretch;
    const key = `${name} ${event.task}`;
    const start = begun.get(key);
    if (event.name === begin) {
      if (!start) begun.set(key, event);
      return [];
    }
    begun.delete(key);
    if (!start) return [];
    const dur = us(event.time_ns - start.time_ns);
    return [
      { ph: "X", name, cat: "stretch", ts: us(start.time_ns), dur, pid: PROCESS, tid: event.pid },
    ];
  });
}
