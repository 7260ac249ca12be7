// Exports the log for other programs: CSV, JSON, and a trace for timeline viewers.

import { lanePieces } from "../draw/series";
import { type Doing, readSeries, rowFree, rowSince } from "../engine/rows";
import type { FieldKind, LogEntry, LogField } from "../engine/types";
import { csvText } from "../ui/save";
import { sentenceText } from "./rows";
import { FORMATS } from "./words";

/** Units of event fields whose name does not contain the unit, by field name. */
const UNITS: Readonly<Record<string, string>> = {
  available: "pages",
  bdi_dirty: "pages",
  dirtied: "pages",
  dirty: "pages",
  limit: "pages",
  min_wmark: "pages",
  nr_activate: "pages",
  nr_deactivated: "pages",
  nr_dirty: "pages",
  nr_immediate: "pages",
  nr_pages: "pages",
  nr_reclaimed: "pages",
  nr_ref_keep: "pages",
  nr_referenced: "pages",
  nr_requested: "pages",
  nr_scanned: "pages",
  nr_skipped: "pages",
  nr_taken: "pages",
  nr_writeback: "pages",
  pause: "ms",
  reclaimable: "pages",
};

/**
 * A field's name with its unit: "nr_scanned_pages". For a count in a decision, the sentence
 * contains the unit.
 */
function keyOf({ isDecision }: LogEntry, { name, kind }: LogField): string {
  const counted = isDecision || kind !== "count" ? undefined : UNITS[name];
  const unit = kind === "jiffies" ? kind : counted;
  return unit ? `${name}_${unit}` : name;
}

/** Kinds of fields that are exported as numbers instead of names. */
const NUMBERS: ReadonlySet<FieldKind> = new Set([
  ...(["page", "node", "cpu", "count", "order", "jiffies"] as const),
]);

/** A field's exported value: a name if there is one, otherwise a number. */
type Plain = string | number | null | readonly { readonly pfn: number; readonly outcome: string }[];

function plainOf({ kind, value, text }: LogField): Plain {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "number") return value.map(({ page: pfn, outcome }) => ({ pfn, outcome }));
  return NUMBERS.has(kind) ? value : text;
}

/** A field in a table cell, in which a list becomes one text: "pages=0x840:freed,0x841:kept". */
function cellOf(event: LogEntry, field: LogField): string {
  const plain = plainOf(field);
  const text =
    plain !== null && typeof plain === "object"
      ? plain.map(({ pfn, outcome }) => `0x${pfn.toString(16)}:${outcome}`).join(",")
      : (plain ?? "");
  return `${keyOf(event, field)}=${text}`;
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

/** The columns of every event. */
const head = (event: LogEntry) => ({
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
 * A table (RFC 4180) with one row for each event or decision. One column has the fields as
 * "name=value", the last one has a decision's sentence.
 */
export function csv(events: readonly LogEntry[]): string {
  const rows = events.map((event) => {
    const all = head(event);
    const fields = event.fields.map((field) => cellOf(event, field)).join(" ");
    return [...COLUMNS.map((name) => all[name]), fields, sentenceText(event)];
  });
  return csvText([[...COLUMNS, "fields", "sentence"], ...rows]);
}

/** A list of objects, with units in the names and a decision's sentence. */
export function json(events: readonly LogEntry[]): string {
  const objects = events.map((event) => ({
    ...head(event),
    fields: Object.fromEntries(event.fields.map((field) => [keyOf(event, field), plainOf(field)])),
    ...(event.sentence && { sentence: sentenceText(event) }),
  }));
  return `[${objects.map((object) => `\n${JSON.stringify(object)}`).join(",")}\n]\n`;
}

/** Further data for a trace. */
export interface TraceContext {
  /** The name of the trace's process: the experiment's title. */
  readonly title: string;
  /** Keys of the zones. */
  readonly zones: readonly string[];
  /** Moments of the run, see `draw/series`. */
  readonly timeline: Float64Array;
  /** Tasks by id. */
  readonly tasks: ReadonlyMap<number, { readonly name: string; readonly pid: number }>;
  /**
   * Whether no search or filter left out events; an interval without an end event is then still in
   * progress.
   */
  readonly isEverything: boolean;
}

type TraceEvent = Readonly<Record<string, unknown>>;

const PROCESS = 1;
/**
 * A separate process has the states of tasks at the timeline's moments. Slices of one track may
 * only nest, and a thread has one track.
 */
const MOMENTS = 2;
/** Two events of one task that begin and end an interval: (begin, end, name). */
const STRETCHES = [
  ["mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end", "direct reclaim"],
  ["mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep", "kswapd awake"],
] as const;

const us = (time_ns: number): number => time_ns / 1000;

/** A trace for timeline viewers: a track for each task, a counter for each zone. */
export function chromeTrace(events: readonly LogEntry[], context: TraceContext): string {
  const lanes = new Map(events.map(({ pid, taskName }) => [pid, taskName]));
  const traceEvents: TraceEvent[] = [
    named("process_name", context.title, PROCESS),
    ...[...lanes].map(([tid, name]) => named("thread_name", name, PROCESS, tid)),
    ...counters(context, events),
    ...states(context, events),
    ...stretches(events, context.isEverything),
    ...events.map(instant),
  ];
  const lines = traceEvents.map((event) => `\n${JSON.stringify(event)}`);
  // No displayTimeUnit: some versions of Perfetto read it as the unit of the times, which is µs.
  return `{"traceEvents":[${lines.join(",")}\n]}\n`;
}

function instant(event: LogEntry): TraceEvent {
  const { name, isTracepoint, time_ns, pid, step, cpu } = event;
  const fields = event.fields.map((field): [string, unknown] => [
    keyOf(event, field),
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

/** Free pages of each zone, over the time of the events. */
function counters({ zones, timeline }: TraceContext, events: readonly LogEntry[]): TraceEvent[] {
  const series = readSeries(timeline, zones.length);
  const [first, last] = [events[0]?.time_ns ?? 0, events.at(-1)?.time_ns ?? 0];
  const out: TraceEvent[] = [];
  for (let row = 0; row < series.length; row += 1) {
    const time_ns = rowSince(series, row);
    // The row before the first event gives the counter's initial value.
    const next_ns = row + 1 < series.length ? rowSince(series, row + 1) : Number.POSITIVE_INFINITY;
    if (next_ns < first || time_ns > last) continue;
    zones.forEach((zone, i) => {
      // Perfetto names the track by both: "0/Normal free pages".
      const args = { "free pages": rowFree(series, row, i) };
      out.push({ ph: "C", name: zone, ts: us(time_ns), pid: PROCESS, args });
    });
  }
  return out;
}

/** The states of tasks that are drawn. */
const STATES: Partial<Record<Doing, string>> = {
  running: "running",
  ready: FORMATS.waitsForCpu,
  reclaiming: "reclaiming",
  throttled: "throttled",
  io: "I/O wait",
};

/** The state of each task at the timeline's moments, over the time of the events. */
function states(
  { title, zones, timeline, tasks }: TraceContext,
  events: readonly LogEntry[],
): TraceEvent[] {
  const series = readSeries(timeline, zones.length);
  const [first, last] = [events[0]?.time_ns ?? 0, events.at(-1)?.time_ns ?? 0];
  const drawn = [...tasks].flatMap(([id, { name, pid: tid }]) => {
    const pieces = lanePieces(series, id).flatMap(({ doing, from_ns, to_ns }) => {
      const what = STATES[doing];
      const [from, to] = [Math.max(first, from_ns), Math.min(last, to_ns)];
      return what && to > from ? [slice(what, "moments", [from, to], MOMENTS, tid)] : [];
    });
    return pieces.length > 0 ? [named("thread_name", name, MOMENTS, tid), ...pieces] : [];
  });
  return drawn.length > 0
    ? [named("process_name", FORMATS.atMoments(title), MOMENTS), ...drawn]
    : drawn;
}

/**
 * The intervals of tasks between a begin and an end event. If nothing is left out, an open interval
 * extends to the last event or from the first one. Otherwise the missing event may be hidden, and
 * nothing is drawn.
 */
function stretches(events: readonly LogEntry[], isEverything: boolean): TraceEvent[] {
  const [first, last] = [events[0]?.time_ns ?? 0, events.at(-1)?.time_ns ?? 0];
  const begun = new Map<string, { name: string; start: LogEntry }>();
  const known = new Set<string>();
  const out = events.flatMap((event): TraceEvent[] => {
    const stretch = STRETCHES.find(([begin, end]) => event.name === begin || event.name === end);
    if (!stretch) return [];
    const [begin, , name] = stretch;
    const key = `${name} ${event.task}`;
    const isFirst = !known.has(key);
    known.add(key);
    const start = begun.get(key)?.start;
    if (event.name === begin) {
      if (!start) begun.set(key, { name, start: event });
      return [];
    }
    begun.delete(key);
    const from = start?.time_ns ?? (isEverything && isFirst ? first : null);
    if (from === null) return [];
    return [slice(name, "stretch", [from, event.time_ns], PROCESS, event.pid)];
  });
  if (!isEverything) return out;
  const goOn = [...begun.values()].map(({ name, start }) =>
    slice(name, "stretch", [start.time_ns, last], PROCESS, start.pid),
  );
  return [...out, ...goOn];
}

/** The name of a process or of a task's track. */
function named(kind: "process_name" | "thread_name", name: string, pid: number, tid?: number) {
  return { ph: "M", name: kind, pid, ...(tid !== undefined && { tid }), args: { name } };
}

/** A slice from one time to another in ns. */
function slice(
  name: string,
  cat: string,
  [from, to]: readonly [number, number],
  pid: number,
  tid: number,
): TraceEvent {
  return { ph: "X", name, cat, ts: us(from), dur: us(to - from), pid, tid };
}
