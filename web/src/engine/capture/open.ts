// Opens the files of a machine: reads them, has the engine parse them, and places everything on one
// time axis.

import type { Explanation } from "../explanation";
import type { RunCounter } from "../run";
import type {
  Capture,
  CaptureCalls,
  CounterSeries,
  StaticCapture,
  TextRefusal,
  TraceInfo,
} from "./answers";
import { Intake, type TakenFile, type TakenTrace } from "./intake";
import { baseOf } from "./names";

/** A file that the user opened, such as a browser's `File`. */
export interface OpenedFile {
  readonly name: string;
  /** The path in a dropped or chosen folder, if it is in one. */
  readonly webkitRelativePath?: string;
  readonly size: number;
  stream(): ReadableStream<Uint8Array>;
}

/** A zone of the page, named by the capture or by the trace. */
interface MachineZone {
  readonly key: string;
  readonly managed: number;
  readonly low: number;
  /** The column of its free pages in the samples; -1 without samples. */
  readonly column: number;
}

/** A machine whose files were read. */
export interface Machine {
  readonly name: string;
  readonly files: readonly TakenFile[];
  readonly refusals: readonly TextRefusal[];
  /** The open trace; `others` are the other traces that were read, by name. */
  readonly trace: {
    readonly name: string;
    readonly info: TraceInfo;
    readonly others: readonly string[];
  } | null;
  readonly capture: Capture | null;
  /** A machine at rest, compared with the engine's rules. */
  readonly statics: StaticCapture | null;
  readonly explanation: Explanation | null;
  /** Counters at two moments. */
  readonly counters: Capture["counters"];
  /** Samples over time; the first column is the time in seconds. */
  readonly samples: Capture["samples"];
  /** The time of 0 on the page's axis, in the machine's seconds. */
  readonly zero_s: number;
  /** The place of the trace on that axis. */
  readonly trace_ns: number;
  readonly length_ns: number;
  /** Zones with samples of free pages come first. */
  readonly zones: readonly MachineZone[];
  /** How many zones have samples of free pages. */
  readonly sampled: number;
  readonly known: readonly RunCounter[];
}

/** Progress of reading. */
export interface ReadProgress {
  readonly file: string;
  readonly read: number;
  readonly total: number;
}

const nameOf = ({ name, webkitRelativePath }: OpenedFile) => webkitRelativePath || name;

/** Reads all files and reports the progress to the page. */
export async function takeIn(
  files: readonly OpenedFile[],
  calls: CaptureCalls,
  tell: (progress: ReadProgress) => void,
): Promise<Intake> {
  const intake = new Intake(calls);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let read = 0;
  for (const file of files) {
    const name = nameOf(file);
    const sink = intake.take(name);
    const reader = file.stream().getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.length;
      sink.push(value);
      tell({ file: name, read, total });
    }
    sink.end();
  }
  return intake;
}

/** Files that only a capture has. */
const CAPTURE_FILES = /^(?:before|after|frag)\.txt$|^shape\.json$|^phases\.tsv$/;
const REPORT_TEXT =
  /invoked oom-killer|page allocation failure|Mem-Info:|(?:^|\n)\s*Node \d+, zone/;
const VMSTAT_TEXT = /(?:^|\n)(?:nr_free_pages|pgpgin) \d/;

const isCaptureFile = (name: string) => CAPTURE_FILES.test(baseOf(name));

/** The engine's answers about the texts. */
function textsSay(intake: Intake, calls: CaptureCalls) {
  const texts = [...intake.texts];
  const isCapture = texts.some(([name]) => isCaptureFile(name));
  const refusals: TextRefusal[] = [];
  let capture: Capture | null = null;
  let statics: StaticCapture | null = null;
  if (isCapture) {
    const named = Object.fromEntries(texts);
    const answer = JSON.parse(calls.read_capture(JSON.stringify(named)));
    if (answer.ok?.kind === "static") statics = answer.ok;
    else if (answer.ok) capture = answer.ok;
    else refusals.push(...answer.refused);
  }
  const reports = texts.filter(([name, text]) => !isCaptureFile(name) && REPORT_TEXT.test(text));
  const explanation = statics ? null : explained(reports, calls, refusals);
  const series = isCapture ? [] : seriesOf(texts, calls, refusals);
  return { capture, statics, explanation, series, refusals };
}

function explained(
  reports: readonly (readonly [string, string])[],
  calls: CaptureCalls,
  refusals: TextRefusal[],
): Explanation | null {
  if (reports.length === 0) return null;
  const list = reports.map(([name, text]) => ({ name, text }));
  const answer = JSON.parse(calls.explain_machine(JSON.stringify(list)));
  if (!answer.ok) {
    for (const { path, reason } of answer.refused)
      refusals.push({ file: path, line: null, reason });
    return null;
  }
  const explanation: Explanation = answer.ok;
  refusals.push(...explanation.refusals);
  return explanation;
}

function seriesOf(
  texts: readonly (readonly [string, string])[],
  calls: CaptureCalls,
  refusals: TextRefusal[],
): CounterSeries[] {
  return texts
    .filter(([, text]) => VMSTAT_TEXT.test(text))
    .flatMap(([name, text]): CounterSeries[] => {
      const answer = JSON.parse(calls.read_series(text));
      if (answer.ok) return [answer.ok];
      for (const { line, reason } of answer.refused) refusals.push({ file: name, line, reason });
      return [];
    });
}

/** Two moments of counters: from the capture, or from the first and the last row of series. */
function twoMoments(
  capture: Capture | null,
  series: readonly CounterSeries[],
): Capture["counters"] {
  if (capture) return capture.counters;
  const [first] = series;
  const last = series.at(-1);
  if (!first || !last) return [];
  const valueIn = ({ columns, rows }: CounterSeries, name: string, at: number) =>
    rows.at(at)?.[columns.indexOf(name) + 1];
  return first.columns.flatMap((name) => {
    const before = valueIn(first, name, 0);
    const after = last.columns.includes(name) ? valueIn(last, name, -1) : undefined;
    return before === undefined || after === undefined || (first === last && first.rows.length < 2)
      ? []
      : [{ name, before, after }];
  });
}

/** A series of counters over time as samples; null without times. */
function samplesOf(capture: Capture | null, series: readonly CounterSeries[]): Capture["samples"] {
  if (capture) return capture.samples;
  const timed = series.find(({ timed: isTimed, rows }) => isTimed && rows.length > 1);
  return timed ? { columns: ["s", ...timed.columns], rows: timed.rows } : null;
}

/** What a trace counts: the sums of its events, in vmstat's names, and each kind of event. */
const TRACE_SUMS = [
  "pgscan_kswapd",
  "pgscan_direct",
  "pgsteal_kswapd",
  "pgsteal_direct",
  "allocstall",
  "pageoutrun",
  "pgmigrate_success",
  "pgmigrate_fail",
  "oom_kill",
];
/** The label of a counter that is computed from the trace's events. */
const OF_TRACE = " (trace)";

/** The counters that can be drawn. Counters of the trace also have the engine's name. */
export function countersIn(
  samples: Capture["samples"],
  info: TraceInfo | null,
): readonly (RunCounter & { readonly traced: string | null })[] {
  const sampled = (samples?.columns.slice(1) ?? []).filter((name) => !isFree(name));
  const traced = info
    ? [...TRACE_SUMS, ...info.kinds.map(({ name }) => name)].map((name) => ({
        name: sampled.includes(name) ? `${name}${OF_TRACE}` : name,
        traced: name,
      }))
    : [];
  return [...sampled.map((name) => ({ name, traced: null })), ...traced].map((each, i) => ({
    ...each,
    pair: [i, 0] as const,
  }));
}

const FREE_COLUMN = /^free_n(\d+)_(\w+)$/;
const isFree = (column: string) => FREE_COLUMN.test(column);

function zonesOf(capture: Capture | null, samples: Capture["samples"], info: TraceInfo | null) {
  const columns = samples?.columns ?? [];
  const known = (capture?.machine.zones ?? []).map((zone) => ({
    ...zone,
    key: `${zone.node}/${zone.zone}`,
  }));
  const sampled = columns.flatMap((name, column): MachineZone[] => {
    const [, node, type] = FREE_COLUMN.exec(name) ?? [];
    if (node === undefined) return [];
    const key = `${node}/${type}`;
    const zone = known.find((one) => one.key === key);
    // A zone without memory has no lane.
    if (!zone || zone.managed === 0) return [];
    return [{ key, managed: zone.managed, low: zone.low, column }];
  });
  const other = [
    ...known.map(({ key, managed, low }) => ({ key, managed, low, column: -1 })),
    ...(info?.zones ?? []).map(({ node, name }) => ({
      key: `${node}/${name}`,
      managed: 0,
      low: 0,
      column: -1,
    })),
  ];
  const all = [...sampled];
  for (const zone of other) if (!all.some(({ key }) => key === zone.key)) all.push(zone);
  return { zones: all, sampled: sampled.length };
}

/** The trace to show first: one with all events is preferred to one with selected events. */
export const firstTrace = (traces: readonly TakenTrace[]): TakenTrace | null =>
  traces.find(({ name }) => /^trace(\.txt)?(\.gz)?$/.test(baseOf(name))) ?? traces[0] ?? null;

const NS = 1e9;

/** The positions of the trace and the samples on one time axis. */
function axisOf(samples: Capture["samples"], info: TraceInfo | null) {
  const times = samples?.rows.map(([s = 0]) => s) ?? [];
  const sampled = times.length > 0 ? ([times[0] ?? 0, times.at(-1) ?? 0] as const) : null;
  const first = info && info.stored > 0 ? Number(info.clock ?? 0) : null;
  const traced = first === null || !info ? null : ([first, first + info.to_ns / NS] as const);
  const overlap = !sampled || !traced || (traced[0] <= sampled[1] && sampled[0] <= traced[1]);
  const spans = [overlap || !traced ? sampled : null, traced].filter((span) => span !== null);
  const zero_s = Math.min(...spans.map(([from]) => from));
  const end_s = Math.max(...spans.map(([, to]) => to));
  if (spans.length === 0) return { zero_s: 0, trace_ns: 0, length_ns: 1, overlap };
  return {
    zero_s,
    trace_ns: traced ? Math.round((traced[0] - zero_s) * NS) : 0,
    length_ns: Math.max(1, Math.round((end_s - zero_s) * NS)),
    overlap,
  };
}

/** All data of a machine whose files were read, with this trace open. */
export function machineOf(intake: Intake, calls: CaptureCalls, trace: TakenTrace | null): Machine {
  const capture = textsSay(intake, calls);
  const info = trace?.info ?? null;
  const all = samplesOf(capture.capture, capture.series);
  const axis = axisOf(all, info);
  const refusals = [...intake.refusals, ...capture.refusals];
  if (!axis.overlap) {
    const reason = "Its times do not overlap with those of the trace, so it is not drawn.";
    refusals.push({ file: "samples.csv", line: null, reason });
  }
  const samples = axis.overlap ? all : null;
  const first = intake.files[0]?.name ?? "machine";
  return {
    name: capture.capture?.name ?? capture.statics?.name ?? baseOf(first),
    files: intake.files,
    refusals,
    trace: trace && {
      name: trace.name,
      info: trace.info,
      others: intake.traces.filter((one) => one !== trace).map(({ name }) => name),
    },
    capture: capture.capture,
    statics: capture.statics,
    explanation: capture.explanation,
    counters: twoMoments(capture.capture, capture.series),
    samples,
    zero_s: axis.zero_s,
    trace_ns: axis.trace_ns,
    length_ns: axis.length_ns,
    ...zonesOf(capture.capture, samples, info),
    known: countersIn(samples, info),
  };
}
