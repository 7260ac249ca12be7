// Puts the engine's records into words: names for numbers, and the templates of the catalog filled
// with a record's values. The engine itself stores only numbers.

import { count, hex, orderWords, zoneWords } from "./format";
import { type Kinds, kindOf, type Rec, type Value, valuesByName } from "./record";
import type {
  Catalog,
  DeviceView,
  FieldKind,
  Info,
  LruView,
  RecordKind,
  Span,
  TaskView,
  ZoneView,
} from "./types";

/** The names that numbers stand for. */
export interface Words {
  readonly catalog: Kinds &
    Pick<Catalog, "functions" | "gfp" | "lru" | "flush_reasons" | "throttle_reasons">;
  readonly migratetypes: readonly string[];
  readonly zone_types: readonly string[];
  readonly page_size: number;
  /** Keys of the zones, by index. */
  readonly zones: readonly string[];
  readonly tasks: ReadonlyMap<number, { readonly name: string; readonly pid: number }>;
  /** Owners of LRU lists, nodes or zones, by index. */
  readonly lists: readonly string[];
  /** Classes of the block devices, by index. */
  readonly devices: readonly string[];
  /** The texts from a trace; absent for a run of the engine. */
  readonly texts?: readonly string[];
}

/** The part of a machine's info from which names are read. */
export type Named = Pick<Info, "migratetypes" | "zone_types" | "page_size">;

/** The named items of a machine at a moment. */
interface NamedThings {
  readonly zones: readonly Pick<ZoneView, "key">[];
  readonly tasks: readonly Pick<TaskView, "id" | "name" | "pid">[];
  readonly lru: readonly Pick<LruView, "key">[];
  readonly devices: readonly Pick<DeviceView, "model">[];
}

/**
 * The names of a machine at a moment, including the names in `before`, because tasks start and end.
 */
export function wordsOf(
  catalog: Words["catalog"],
  { migratetypes, zone_types, page_size }: Named,
  view: NamedThings,
  before: Words["tasks"] = new Map(),
): Words {
  const tasks = new Map(before);
  for (const { id, name, pid } of view.tasks) tasks.set(id, { name, pid });
  return {
    catalog,
    migratetypes,
    zone_types,
    page_size,
    zones: view.zones.map(({ key }) => key),
    tasks,
    lists: view.lru.map(({ key }) => key),
    devices: view.devices.map(({ model }) => model),
  };
}

/** The name of a task. */
export const taskName = ({ tasks }: Pick<Words, "tasks">, id: number): string =>
  tasks.get(id)?.name ?? `task ${id}`;

/** Names of the watermarks, by index. */
export const MARKS = ["min", "low", "high"] as const;

/** The names of gfp flags, as in the engine. */
export function gfpWords(gfp: Catalog["gfp"], flags: number): string {
  const isSet = (bits: number) => (bits & (bits - 1)) !== 0;
  const whole = gfp.find(([bits]) => isSet(bits) && (flags & bits) === bits);
  const rest = flags & ~(whole?.[0] ?? 0);
  const single = gfp.filter(([bits]) => !isSet(bits) && (rest & bits) !== 0);
  const names = [...(whole ? [whole] : []), ...single].map(([, name]) => name);
  return names.length > 0 ? names.join("|") : "0";
}

/** A value as text, to show next to the name of its field. */
export function valueText(words: Words, kind: FieldKind, value: Value): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value !== "number")
    return value.map(({ page, outcome }) => `${hex(page)} ${outcome}`).join(", ");
  return nameOf(words, kind, value) ?? plainText(kind, value);
}

/** The name that a value stands for; null if it is a number. */
function nameOf(words: Words, kind: FieldKind, value: number): string | null {
  const { catalog } = words;
  switch (kind) {
    case "zone":
      return words.zones[value] ?? String(value);
    case "task":
      return taskName(words, value);
    case "migratetype":
      return words.migratetypes[value] ?? String(value);
    case "zone_type":
      return words.zone_types[value] ?? String(value);
    case "lists":
      return words.lists[value] ?? String(value);
    case "gfp":
      return gfpWords(catalog.gfp, value);
    case "lru":
      return catalog.lru[value] ?? String(value);
    case "mark":
      return MARKS[value] ?? String(value);
    case "device":
      return words.devices[value] ?? String(value);
    case "flush_reason":
      return catalog.flush_reasons[value] ?? String(value);
    case "throttle_reason":
      return catalog.throttle_reasons[value] ?? String(value);
    case "text":
      return words.texts?.[value] ?? String(value);
    default:
      return null;
  }
}

function plainText(kind: FieldKind, value: number): string {
  if (kind === "page") return hex(value);
  return kind === "node" || kind === "cpu" ? String(value) : count(value);
}

/** Plain text, or a placeholder with a field and a noun to count. */
const PIECES = /\{(\w+)(?: ([^}]*))?\}|[^{]+/g;

/** The fields of a template's placeholders, in order. */
export const placesOf = (template: string): string[] =>
  [...template.matchAll(PIECES)].flatMap(([, field]) => field ?? []);

/** Replaces the placeholders of a template. */
export const withPlaces = (template: string, words: (field: string) => string): string =>
  template.replaceAll(PIECES, (piece, field?: string) =>
    field === undefined ? piece : words(field),
  );

/** A record's template, filled; null if its kind has none. */
export function sentenceOf(record: Rec, words: Words): Span[] | null {
  const { template, fields } = kindOf(words.catalog, record.kind);
  return template === null ? null : filled(template, fields, valuesByName(record), words);
}

/** A template filled with values. */
export function filled(
  template: string,
  fields: RecordKind["fields"],
  values: Readonly<Record<string, Value | undefined>>,
  words: Words,
): Span[] {
  const spans = [...template.matchAll(PIECES)].map(([text, field, noun]): Span => {
    if (field === undefined) return plain(text);
    const kind = fields.find(({ name }) => name === field)?.kind ?? "count";
    return spanOf(kind, values[field] ?? null, noun, words);
  });
  const [first] = spans;
  // A sentence begins with a capital letter.
  if (first?.kind === "number" && first.text.startsWith("node "))
    spans[0] = number(`N${first.text.slice(1)}`);
  return spans;
}

const number = (text: string): Span => ({ kind: "number", text });
const plain = (text: string): Span => ({ kind: "text", text });

/** One placeholder of a template, filled. */
function spanOf(kind: FieldKind, value: Value, noun: string | undefined, words: Words): Span {
  if (typeof value === "boolean") return number(value ? "yes" : "no");
  if (typeof value !== "number") return number(valueText(words, kind, value));
  switch (kind) {
    case "zone": {
      const key = words.zones[value] ?? "";
      return { kind: "zone", text: zoneWords(key), key };
    }
    case "task":
      return { kind: "task", text: taskName(words, value), id: value };
    case "page":
      return { kind: "page", text: hex(value), pfn: value };
    case "order":
      return number(orderWords(value, words.page_size));
    case "node":
      return number(`node ${value}`);
    case "cpu":
      return number(`CPU ${value}`);
    case "mark":
    case "device":
      return plain(valueText(words, kind, value));
    default:
      return number(`${valueText(words, kind, value)}${counted(value, noun)}`);
  }
}

/** " page", " pages", or "" if there is no noun. */
const counted = (value: number, noun: string | undefined): string =>
  noun === undefined ? "" : ` ${value === 1 ? noun : pluralOf(noun)}`;

/** "pages", "entries", "accesses". */
const pluralOf = (noun: string): string =>
  /[^aeiou]y$/.test(noun)
    ? `${noun.slice(0, -1)}ies`
    : `${noun}${/(?:s|x|ch|sh)$/.test(noun) ? "es" : "s"}`;
