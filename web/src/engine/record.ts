// The only place that parses a row of the engine's numbers into a record with named values. The
// names are generated from the engine's own table, so a name that is not a field of the record does
// not compile.

import { NO_KIND, NOTHING, OUTCOMES, type Outcome, type Records, ROW_HEAD } from "./pkg/records";
import type { RecordKind } from "./types";

export { NO_KIND, NOTHING };

/** The engine's name of an event or a decision. */
export type RecordName = keyof Records;

/** The values that every record has. */
export interface RecordHead {
  /** The step right after the record was made. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly cpu: number;
  /** The function in which it was made, by its index in the catalog. */
  readonly fn: number | null;
  /** Its kind, by its index in the catalog. */
  readonly kind: number;
  /** The zone that the record concerns, or that contains its page, by index in the machine. */
  readonly zone: number | null;
}

/** An event or a decision with its values, which its name determines. */
export type Rec<N extends RecordName = RecordName> = {
  [K in N]: RecordHead & { readonly name: K; readonly values: Readonly<Records[K]> };
}[N];

/** A page of a batch and its outcome. */
interface PageOutcome {
  readonly page: number;
  readonly outcome: Outcome;
}

/** The value of a field; null means no page. */
export type Value = number | boolean | null | readonly PageOutcome[];

/** The tables needed to parse rows. */
export interface Kinds {
  readonly records: readonly RecordKind[];
}

/** The kind of a row that this catalog does not contain; a newer engine may have it. */
const unknownKind = (kind: number): RecordKind => ({
  name: `record ${kind}`,
  kind: "event",
  tracepoint: false,
  about: "This catalog has no such record.",
  source: "",
  template: null,
  fields: [],
  watermark: null,
});

/** The kind of a record. */
export const kindOf = ({ records }: Kinds, kind: number): RecordKind =>
  records[kind] ?? unknownKind(kind);

const orNull = (value: number | undefined): number | null =>
  value === undefined || value === NOTHING ? null : value;

/** Parses a row into a record. */
export function readRecord(kinds: Kinds, row: ArrayLike<number>): Rec {
  const kind = row[6] ?? NO_KIND;
  const { name, fields } = kindOf(kinds, kind);
  const record = {
    step: row[1] ?? 0,
    time_ns: row[2] ?? 0,
    task: row[3] ?? 0,
    cpu: row[4] ?? 0,
    fn: orNull(row[5]),
    kind,
    zone: orNull(row[7]),
    name,
    values: valuesOf(fields, row),
  };
  // One table generates both the catalog's names and fields and those of `Records`.
  return record as unknown as Rec;
}

function valuesOf(fields: RecordKind["fields"], row: ArrayLike<number>): Record<string, Value> {
  const values: Record<string, Value> = {};
  let at = ROW_HEAD;
  for (const { name, kind } of fields) {
    if (kind === "outcomes") {
      const items = row[at] ?? 0;
      values[name] = outcomesAt(row, at + 1, items);
      at += 1 + 2 * items;
    } else {
      values[name] = singleOf(kind, row[at] ?? 0);
      at += 1;
    }
  }
  return values;
}

function singleOf(kind: RecordKind["fields"][number]["kind"], value: number): Value {
  // A trace may lack a field.
  if (value === NOTHING) return null;
  return kind === "flag" ? value !== 0 : value;
}

const outcomesAt = (row: ArrayLike<number>, at: number, items: number): PageOutcome[] =>
  Array.from({ length: items }, (_, i) => ({
    page: row[at + 2 * i] ?? 0,
    outcome: OUTCOMES[row[at + 2 * i + 1] ?? -1] ?? OUTCOMES[0],
  }));

/** Whether the decision of a row found a zone above its watermark; null for other rows. */
export const passedMark = (kinds: Kinds, row: ArrayLike<number>): boolean | null =>
  kindOf(kinds, row[6] ?? NO_KIND).watermark?.passed ?? null;

/** The values of a record whose name is not known in advance, to show field by field. */
export const valuesByName = (record: Rec): Readonly<Record<string, Value | undefined>> => ({
  ...record.values,
});

/** Whether a record is of one of these kinds. */
export const isOneOf = <N extends RecordName>(
  record: Rec,
  names: ReadonlySet<N>,
): record is Extract<Rec, { readonly name: N }> => (names as ReadonlySet<string>).has(record.name);

/** The kinds of some records, for a filter; if there are none, a kind that no record has. */
export function kindsNamed({ records }: Kinds, names: readonly RecordName[]): number[] {
  const kinds = names.map((name) => records.findIndex((kind) => kind.name === name));
  const known = kinds.filter((kind) => kind >= 0);
  return known.length > 0 ? known : [NO_KIND];
}

/** The length of the row at an index. */
function lengthAt(numbers: Float64Array, at: number): number {
  const length = numbers[at] ?? 0;
  if (length >= ROW_HEAD && at + length <= numbers.length) return length;
  throw new Error(`the row at number ${at} of ${numbers.length} says it has ${length} numbers`);
}

/** Parses rows into records, oldest first. */
export function* recordsIn(numbers: Float64Array, kinds: Kinds): Generator<Rec> {
  for (let at = 0; at < numbers.length; ) {
    const length = lengthAt(numbers, at);
    yield readRecord(kinds, numbers.subarray(at, at + length));
    at += length;
  }
}

/** Rows as the engine sends them, joined, with the start index of each row. */
export class Rows {
  /** No rows. */
  static readonly NONE = new Rows(new Float64Array());

  readonly numbers: Float64Array;
  readonly #starts: readonly number[];

  constructor(numbers: Float64Array) {
    const starts: number[] = [];
    for (let at = 0; at < numbers.length; at += lengthAt(numbers, at)) starts.push(at);
    this.numbers = numbers;
    this.#starts = starts;
  }

  /** The number of rows. */
  get count(): number {
    return this.#starts.length;
  }

  /** The numbers of a row. */
  row(index: number): Float64Array {
    const start = this.#starts[index] ?? this.numbers.length;
    return this.numbers.subarray(start, this.#starts[index + 1] ?? this.numbers.length);
  }

  /** The step of a row. */
  step(index: number): number {
    return this.numbers[(this.#starts[index] ?? this.numbers.length) + 1] ?? 0;
  }

  /** The rows from an index on. */
  from(index: number): Rows {
    return index <= 0
      ? this
      : new Rows(this.numbers.slice(this.#starts[index] ?? this.numbers.length));
  }
}
