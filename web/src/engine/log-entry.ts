// Turns a record into readable text: names for numbers, its fields one by one, and its sentence.

import { type Kinds, kindOf, type Rec, readRecord, valuesByName } from "./record";
import {
  MARKS,
  type Named,
  sentenceOf,
  taskName,
  valueText,
  type Words,
  wordsOf,
} from "./sentence";
import type { Catalog, Compare, LogEntry, LogField, Recorded, View, Why, ZoneView } from "./types";

const OF_DECISIONS = "A decision of the kernel, with the numbers it was based on.";

/** A record in words. */
export function logEntry(record: Rec, words: Words): LogEntry {
  const kind = kindOf(words.catalog, record.kind);
  const values = valuesByName(record);
  const fields = kind.fields.flatMap(({ name, kind: how }): LogField[] => {
    const value = values[name] ?? null;
    // A kernel's trace does not print every field that the engine records.
    if (value === null && words.texts && how !== "page") return [];
    return [{ name, kind: how, value, text: valueText(words, how, value) }];
  });
  const page = fields.find((field) => field.kind === "page")?.value;
  const { fn, zone, task } = record;
  return {
    step: record.step,
    time_ns: record.time_ns,
    task,
    taskName: taskName(words, task),
    pid: words.tasks.get(task)?.pid ?? task,
    cpu: record.cpu,
    fn: fn === null ? null : (words.catalog.functions[fn]?.name ?? null),
    kind: record.kind,
    name: kind.name,
    isDecision: kind.kind === "decision",
    isTracepoint: kind.tracepoint,
    about: kind.kind === "decision" ? OF_DECISIONS : kind.about,
    source: kind.source,
    zone: zone === null ? null : (words.zones[zone] ?? null),
    pfn: typeof page === "number" ? page : null,
    fields,
    sentence: sentenceOf(record, words),
  };
}

/** The page frames that a record concerns: the first frame and the number of frames. */
export function blockOf({
  pfn,
  fields,
}: LogEntry): { readonly pfn: number; readonly pages: number } | null {
  if (pfn === null) return null;
  const order = fields.find(({ name }) => name === "order")?.value;
  return { pfn, pages: typeof order === "number" ? 2 ** order : 1 };
}

/** The comparison of a decision with a watermark; the decision's kind names its fields. */
function compareOf(record: Rec, { records }: Kinds, zones: readonly ZoneView[]): Compare | null {
  const watermark = kindOf({ records }, record.kind).watermark;
  if (!watermark) return null;
  const values = valuesByName(record);
  const numberAt = (field: string | null) => {
    const value = field === null ? 0 : values[field];
    return typeof value === "number" ? value : 0;
  };
  const zone = zones[numberAt(watermark.zone)];
  if (!zone) return null;
  const reserve = numberAt(watermark.reserve);
  const mark = MARKS[numberAt(watermark.mark)] ?? "";
  return {
    label: "free",
    value: numberAt(watermark.value),
    against_label: reserve > 0 ? `${mark} + reserve` : mark,
    against: numberAt(watermark.needed),
    marks: MARKS.map((name) => [name, zone[name] + reserve] as const),
    passed: watermark.passed,
  };
}

/** A moment from the engine with its records in words. */
export function inWords(recorded: Recorded, catalog: Catalog, info: Named): View {
  const words = wordsOf(catalog, info, recorded);
  const why = recorded.why && readRecord(catalog, recorded.why);
  return {
    ...recorded,
    why: why && whyOf(why, words, recorded.zones),
    events: recorded.events.map((row) => logEntry(readRecord(catalog, row), words)),
    placing: recorded.placing.map((row) => logEntry(readRecord(catalog, row), words)),
  };
}

function whyOf(record: Rec, words: Words, zones: readonly ZoneView[]): Why {
  const decision = logEntry(record, words);
  return {
    ...decision,
    sentence: decision.sentence ?? [],
    compare: compareOf(record, words.catalog, zones),
  };
}
