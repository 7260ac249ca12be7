// A row of numbers from the engine as an event, or a decision, a person can read. Values read as they
// do elsewhere: a test holds them against the engine's own words.

import { count, hex } from "../engine/format";
import { DECISION, LOG_ROW, NOTHING } from "../engine/log";
import { placesOf, type SaidWords, sentenceOf, wordsOfView } from "../engine/said";
import type { Catalog, EventField, Info, Span, View } from "../engine/types";

/** A field of an event. */
export interface LogField {
  readonly name: string;
  readonly kind: EventField;
  /** The number as it was recorded; null for no page. */
  readonly value: number | null;
  /** As a person reads it. */
  readonly text: string;
}

/** One event of the log, or one decision. */
export interface LogEvent {
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly pid: number;
  readonly cpu: number;
  /** Its number among the kinds of events; of a decision {@link DECISION} more. */
  readonly kind: number;
  /** The kernel's tracepoint name, or an engine name; a decision has the engine's. */
  readonly name: string;
  readonly isTracepoint: boolean;
  /** What it tells, and where the kernel has it. */
  readonly about: string;
  /** Key of the zone it is about: "0/DMA32". */
  readonly zone: string | null;
  /** The page frame it is about. */
  readonly pfn: number | null;
  readonly fields: readonly LogField[];
  /** What a decision was and why, with its numbers; none where it is an event. */
  readonly sentence: readonly Span[] | null;
}

/** The names that numbers stand for. */
export interface LogWords {
  readonly catalog: Pick<Catalog, "events" | "gfp" | "lru">;
  readonly migratetypes: readonly string[];
  /** Keys of the zones, by index. */
  readonly zones: readonly string[];
  readonly tasks: ReadonlyMap<number, { readonly name: string; readonly pid: number }>;
  /** What sentences about decisions are filled with. */
  readonly said: SaidWords;
}

/** The names of a machine at a moment, and those of `before`: tasks come and go. */
export function wordsOf(
  catalog: Catalog,
  info: Pick<Info, "migratetypes" | "page_size">,
  view: View,
  before: LogWords["tasks"] = new Map(),
): LogWords {
  const tasks = new Map(before);
  for (const { id, name, pid } of view.tasks) tasks.set(id, { name, pid });
  return {
    catalog,
    migratetypes: info.migratetypes,
    zones: view.zones.map(({ key }) => key),
    tasks,
    said: {
      ...wordsOfView(view, catalog, info),
      taskName: (id) => tasks.get(id)?.name ?? `task ${id}`,
    },
  };
}

/** How many rows there are. */
export const rowCount = (rows: Float64Array): number => rows.length / LOG_ROW;

/** The step of a row. */
export const rowStep = (rows: Float64Array, index: number): number => rows[index * LOG_ROW] ?? 0;

/** The names of gfp flags, as the engine says them. */
export function gfpWords(gfp: Catalog["gfp"], flags: number): string {
  const isSet = (bits: number) => (bits & (bits - 1)) !== 0;
  const whole = gfp.find(([bits]) => isSet(bits) && (flags & bits) === bits);
  const rest = flags & ~(whole?.[0] ?? 0);
  const single = gfp.filter(([bits]) => !isSet(bits) && (rest & bits) !== 0);
  const names = [...(whole ? [whole] : []), ...single].map(([, name]) => name);
  return names.length > 0 ? names.join("|") : "0";
}

function fieldWords(words: LogWords, kind: EventField, value: number): string {
  switch (kind) {
    case "number":
      return count(value);
    case "page":
      return value === NOTHING ? "none" : hex(value);
    case "zone":
      return words.zones[value] ?? String(value);
    case "task":
      return words.tasks.get(value)?.name ?? "";
    case "type":
      return words.migratetypes[value] ?? String(value);
    case "gfp":
      return gfpWords(words.catalog.gfp, value);
    case "node":
      return String(value);
    case "lru":
      return words.catalog.lru[value] ?? String(value);
  }
}

type What = Pick<LogEvent, "name" | "isTracepoint" | "about" | "fields" | "sentence">;

/** The event or decision of a row. */
export function eventAt(words: LogWords, rows: Float64Array, index: number): LogEvent {
  const [step = 0, time_ns = 0, task = 0, cpu = 0, kind = 0, zone = NOTHING, ...numbers] =
    rows.subarray(index * LOG_ROW, (index + 1) * LOG_ROW);
  const what =
    kind < DECISION ? eventOf(words, kind, numbers) : decisionOf(words, kind - DECISION, numbers);
  const by = words.tasks.get(task);
  return {
    step,
    time_ns,
    task,
    taskName: by?.name ?? `task ${task}`,
    pid: by?.pid ?? task,
    cpu,
    kind,
    zone: words.zones[zone] ?? null,
    pfn: what.fields.find((field) => field.kind === "page")?.value ?? null,
    ...what,
  };
}

function eventOf(words: LogWords, kind: number, numbers: readonly number[]): What {
  const event = words.catalog.events[kind] ?? {
    name: `event ${kind}`,
    tracepoint: false,
    fields: [],
    about: "",
    source: "",
  };
  const fields = event.fields.map(([name, how], i): LogField => {
    const value = numbers[i] ?? 0;
    const isNone = how === "page" && value === NOTHING;
    return { name, kind: how, value: isNone ? null : value, text: fieldWords(words, how, value) };
  });
  return {
    name: event.name,
    isTracepoint: event.tracepoint,
    about: `${event.about} (${event.source})`,
    fields,
    sentence: null,
  };
}

/** What the places of a template are, by their letters; all others are numbers. */
const PLACES: Readonly<Record<string, EventField>> = {
  z: "zone",
  t: "task",
  p: "page",
  n: "node",
  y: "type",
  l: "lru",
};

/** Its numbers have no names of their own: they are called as the engine counts them, from n0. */
function decisionOf(words: LogWords, kind: number, numbers: readonly number[]): What {
  const { name, template } = words.said.catalog.decisions[kind] ?? {
    name: `decision ${kind}`,
    template: "",
  };
  const fields = placesOf(template).map(({ letter, index, value }): LogField => {
    const kind = PLACES[letter] ?? "number";
    const number = value(numbers[index] ?? 0);
    const isNone = kind === "page" && number === NOTHING;
    const text = fieldWords(words, kind, number);
    return { name: `n${index}`, kind, value: isNone ? null : number, text };
  });
  return {
    name,
    isTracepoint: false,
    about: "A decision of the kernel, with the numbers it was made by.",
    fields,
    sentence: sentenceOf(template, numbers, words.said),
  };
}

/** A decision's sentence as text. */
export const sentenceText = ({ sentence }: Pick<LogEvent, "sentence">): string =>
  (sentence ?? []).map(({ text }) => text).join("");

/** All events of some rows. */
export const eventsOf = (words: LogWords, rows: Float64Array): LogEvent[] =>
  Array.from({ length: rowCount(rows) }, (_, i) => eventAt(words, rows, i));

/** Fields as one line: "pfn=0x840 order=0"; a decision's sentence. */
export const fieldLine = (event: LogEvent): string =>
  event.sentence
    ? sentenceText(event)
    : event.fields.map(({ name, text }) => `${name}=${text}`).join(" ");

/** Everything a search looks at, in small letters. */
export const searchText = (event: LogEvent): string =>
  [
    event.name,
    event.taskName,
    event.zone ?? "",
    `#${event.step}`,
    fieldLine(event),
    // A number is found with its commas and without.
    event.fields.map(({ name, value }) => `${name}=${value}`).join(" "),
  ]
    .join(" ")
    .toLowerCase();

/** Does an event have every word of a search? */
export function isFound(text: string, search: string): boolean {
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
