// Answers the requests of the timeline and the log about a machine whose files were read: rows of
// moments, rows of records, and the values at a moment. The layouts are those of the engine's
// answers.

import type { LogAct, LogAnswer } from "../log";
import { joined } from "../log";
import { NOTHING } from "../record";
import { doingNumber, packedRow } from "../rows";
import type { RecordKind } from "../types";
import type { TraceSource } from "./answers";
import {
  Activity,
  CHUNK,
  eventsUntil,
  type Interval,
  indexOf,
  NO_INDEX,
  recordsOf,
  type TraceIndex,
} from "./lanes";
import { countersIn, type Machine } from "./open";

/** Moments of the whole run: about one for each pixel. */
const MOMENTS = 1024;
/** Moments of the trace's own counters over its whole length. */
const BUCKETS = 1 << 14;
/** The most numbers of one answer. */
const MOST_NUMBERS = 1 << 18;

/** The values at a moment. */
export interface MomentValues {
  readonly step: number;
  readonly time_ns: number;
  readonly free: readonly number[];
  readonly counters: readonly (readonly [string, number])[];
}

/** The drawn range, and its number of moments. */
interface Drawn {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly many: number;
}

/** Answers questions about one machine with one open trace. */
export class Moments {
  readonly #machine: Machine;
  readonly #source: TraceSource | null;
  readonly #records: readonly RecordKind[];
  readonly #counters: ReturnType<typeof countersIn>;
  readonly #intervals: readonly Interval[];
  /** The page's index of each of the trace's zones. */
  readonly #zoneAt: ReadonlyMap<number, number>;
  /** For each kind, the indices of the fields that are zones. */
  readonly #zoneFields = new Map<number, readonly number[]>();
  #seen: { of: string; activity: Activity } | null = null;
  readonly #index: TraceIndex;
  /** The trace's own counters over its whole length. */
  #sums: Float64Array | null = null;
  #reading: { from: number; to: number; filter: string } | null = null;

  constructor(machine: Machine, source: TraceSource | null) {
    this.#machine = machine;
    this.#source = source;
    const info = machine.trace?.info ?? null;
    this.#records = info ? recordsOf([], info) : [];
    this.#counters = countersIn(machine.samples, info);
    this.#index = source && info ? indexOf(source, info, this.#records) : NO_INDEX;
    this.#intervals = this.#index.intervals;
    const keyAt = (key: string) => machine.zones.findIndex((zone) => zone.key === key);
    this.#zoneAt = new Map(info?.zones.map(({ id, node, name }) => [id, keyAt(`${node}/${name}`)]));
    for (const { number } of info?.kinds ?? []) {
      const fields = this.#records[number]?.fields ?? [];
      const places = fields.flatMap(({ kind }, i) => (kind === "zone" ? [i] : []));
      if (places.length > 0) this.#zoneFields.set(number, places);
    }
  }

  /** Answers an action of a reader. */
  answer(act: LogAct): LogAnswer {
    const done = { kind: "log", isDone: true, isWhole: true } as const;
    if (act.kind === "end") return { ...done, at: 0, rows: new Float64Array() };
    if (act.kind === "sample") {
      const { pairs, stretch_ns } = act;
      const [from_ns, to_ns] = stretch_ns ?? [0, this.#machine.length_ns];
      return { ...done, at: act.to, rows: this.#moments({ from_ns, to_ns, many: MOMENTS }, pairs) };
    }
    if (act.kind === "begin") {
      const { kinds, task, zone, pages } = act.filter;
      const traceZone = [...this.#zoneAt].find(([, at]) => at === zone)?.[0];
      const filter = {
        ...(kinds.length > 0 && { kinds }),
        ...(task !== null && { tasks: [task] }),
        ...(zone !== null && { zone: traceZone ?? NOTHING }),
        ...(pages && { first: pages[0], last: pages[1] }),
      };
      this.#reading = { from: act.from, to: act.to, filter: JSON.stringify(filter) };
    }
    return this.#more();
  }

  #more(): LogAnswer {
    const reading = this.#reading;
    const end = this.#machine.trace?.info.stored ?? 0;
    const parts: Float64Array[] = [];
    let numbers = 0;
    while (reading && this.#source && reading.from < Math.min(reading.to, end)) {
      const to = Math.min(reading.to, end, reading.from + CHUNK);
      const rows = this.#placed(this.#source.rows(reading.from, to, reading.filter));
      parts.push(rows);
      numbers += rows.length;
      this.#reading = reading;
      reading.from = to;
      if (numbers > MOST_NUMBERS) break;
    }
    const at = reading?.from ?? 0;
    const isDone = !reading || at >= Math.min(reading.to, end);
    return { kind: "log", at, isDone, isWhole: true, rows: joined(parts) };
  }

  /** Rows on the page's axis of time, with the page's zones. */
  #placed(rows: Float64Array): Float64Array {
    const { trace_ns } = this.#machine;
    const zone = (id: number) => {
      const at = this.#zoneAt.get(id) ?? -1;
      return at < 0 ? NOTHING : at;
    };
    for (let at = 0; at < rows.length; at += rows[at] || 1) {
      rows[at + 2] = (rows[at + 2] ?? 0) + trace_ns;
      rows[at + 7] = zone(rows[at + 7] ?? NOTHING);
      for (const field of this.#zoneFields.get(rows[at + 6] ?? -1) ?? []) {
        rows[at + 8 + field] = zone(rows[at + 8 + field] ?? NOTHING);
      }
    }
    return rows;
  }

  /** The values at a time, or right after an event. */
  at(place: { readonly time_ns: number } | { readonly step: number }): MomentValues {
    const { trace_ns, zones, sampled, length_ns } = this.#machine;
    const stored = this.#machine.trace?.info.stored ?? 0;
    let [step, time_ns] = [0, 0];
    if ("step" in place) {
      step = Math.max(0, Math.min(stored, place.step));
      time_ns = step > 0 ? (this.#index.times[step - 1] ?? 0) + trace_ns : 0;
    } else {
      time_ns = Math.max(0, Math.min(length_ns, place.time_ns));
      step = eventsUntil(this.#index.times, time_ns - trace_ns);
    }
    const all = this.#counters.map(({ pair }) => pair[0]);
    const valueAt = this.#counterAt(all);
    return {
      step,
      time_ns,
      free: zones.slice(0, sampled).map(({ column }) => this.#sampleAt(time_ns, column)),
      counters: this.#counters.map(({ name }, i) => [name, valueAt(i, time_ns)] as const),
    };
  }

  /** A column of the samples at a time: the last value before it. */
  #sampleAt(time_ns: number, column: number): number {
    const { samples, zero_s } = this.#machine;
    const rows = samples?.rows ?? [];
    let [low, high] = [0, rows.length];
    const time_s = time_ns / 1e9 + zero_s + 1e-9;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.[0] ?? 0) <= time_s) low = middle + 1;
      else high = middle;
    }
    return rows[Math.max(0, low - 1)]?.[column] ?? 0;
  }

  /** Counters at times: the i-th of those chosen, from the samples or from the trace. */
  #counterAt(chosen: readonly number[]) {
    const { samples, trace_ns, trace } = this.#machine;
    const counters = chosen.flatMap((at) => this.#counters[at] ?? []);
    const traced = this.#counters.flatMap(({ traced: name }) => name ?? []);
    const span_ns = trace?.info.to_ns ?? 0;
    if (this.#source && this.#sums === null && counters.some(({ traced: name }) => name !== null)) {
      this.#sums = this.#source.samples(JSON.stringify(traced), BUCKETS);
    }
    const rows = this.#sums ?? new Float64Array();
    const wide = 1 + traced.length;
    const tracedAt = (name: string, time_ns: number) => {
      const bucket = Math.floor(((time_ns - trace_ns) / Math.max(1, span_ns)) * BUCKETS) - 1;
      const at = Math.min(BUCKETS - 1, bucket);
      return at < 0 ? 0 : (rows[at * wide + 1 + traced.indexOf(name)] ?? 0);
    };
    const columns = counters.map(({ name }) => samples?.columns.indexOf(name) ?? -1);
    return (i: number, time_ns: number): number => {
      const name = counters[i]?.traced ?? null;
      return name === null ? this.#sampleAt(time_ns, columns[i] ?? -1) : tracedAt(name, time_ns);
    };
  }

  /** Rows of moments, as the engine's samples. */
  #moments(drawn: Drawn, pairs: readonly number[]): Float64Array {
    const { from_ns, to_ns, many } = drawn;
    const { zones, sampled, trace, trace_ns } = this.#machine;
    const chosen = pairs.filter((_, i) => i % 2 === 0);
    const valueAt = this.#counterAt(chosen);
    const tasks = trace?.info.tasks.length ?? 0;
    const activity = this.#activity(drawn);
    const rows: Float64Array[] = [];
    const step_ns = (to_ns - from_ns) / many;
    for (let bucket = 0; bucket <= many; bucket += 1) {
      const time_ns = from_ns + bucket * step_ns;
      const step = eventsUntil(this.#index.times, time_ns - trace_ns);
      rows.push(
        packedRow({
          step,
          time_ns: Math.round(time_ns),
          free: zones.slice(0, sampled).map(({ column }) => this.#sampleAt(time_ns, column)),
          counters: chosen.map((_, i) => valueAt(i, time_ns)),
          doing: Array.from({ length: tasks }, (_, task) =>
            activity.doing(task, Math.min(many - 1, bucket)),
          ),
          reclaimed: Array.from(
            { length: tasks },
            (_, task) => bucket > 0 && activity.isShort(task, bucket - 1),
          ),
        }),
      );
    }
    return joined(rows);
  }

  #activity({ from_ns, to_ns, many }: Drawn): Activity {
    const of = `${from_ns} ${to_ns}`;
    if (this.#seen?.of === of) return this.#seen.activity;
    const { trace, trace_ns } = this.#machine;
    const activity = new Activity(trace?.info.tasks.length ?? 0, many);
    const wide_ns = Math.max(1, (to_ns - from_ns) / many);
    const bucketOf = (time_ns: number) =>
      Math.max(0, Math.min(many - 1, Math.floor((time_ns - from_ns) / wide_ns)));
    const { times, tasks } = this.#index;
    const last = eventsUntil(times, to_ns - trace_ns);
    for (let at = eventsUntil(times, from_ns - trace_ns - 1); at < last; at += 1) {
      activity.seen(tasks[at] ?? 0, bucketOf((times[at] ?? 0) + trace_ns));
    }
    for (const { task, doing, from_ns: began, to_ns: ended } of this.#intervals) {
      const [begin, end] = [began + trace_ns, ended + trace_ns];
      if (end < from_ns || begin > to_ns) continue;
      const isShort = end - begin < wide_ns && doing === "reclaiming";
      activity.did(task, doingNumber(doing), bucketOf(begin), bucketOf(end), isShort);
    }
    this.#seen = { of, activity };
    return activity;
  }
}
