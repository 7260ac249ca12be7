// The one place that takes a row of the engine's numbers apart: a record, with its values by name.
// What the values of each are called is generated from the engine's own table, so that a name that is
// no field of a record does not compile.

import type { Catalog, RecordKind } from "./pkg/mmscope";
import { NO_KIND, NOTHING, OUTCOMES, type Outcome, type Records, ROW_HEAD } from "./pkg/records";

export { NO_KIND, NOTHING };

/** The engine's name of an event or a decision. */
export type RecordName = keyof Records;

/** What every record says, whatever it is of. */
export interface RecordHead {
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly cpu: number;
  /** The function it was made in, by its place in the catalog. */
  readonly fn: number | null;
  /** What it is of, by its place in the catalog. */
  readonly kind: number;
  /** The zone it is about, or that its page is in, by its place among the machine's. */
  readonly zone: number | null;
}

/** An event or a decision with its values: which there are, its name tells. */
export type Rec<N extends RecordName = RecordName> = {
  [K in N]: RecordHead & { readonly name: K; readonly values: Readonly<Records[K]> };
}[N];

/** A page of a batch and what became of it. */
interface PageOutcome {
  readonly page: number;
  readonly outcome: Outcome;
}

/** What a field may hold: no page is null, what is true or false is that. */
export type Value = number | boolean | null | readonly PageOutcome[];

/** What rows are read by. */
export type Kinds = Pick<Catalog, "records">;

/** What a row of a kind this catalog does not know is called: a newer engine may have it. */
const unknownKind = (kind: number): RecordKind => ({
  name: `record ${kind}`,
  kind: "event",
  tracepoint: false,
  about: "This catalog does not know it.",
  source: "",
  template: null,
  fields: [],
  watermark: null,
});

/** What a record is of. */
export const kindOf = ({ records }: Kinds, kind: number): RecordKind =>
  records[kind] ?? unknownKind(kind);

const orNull = (value: number | undefined): number | null =>
  value === undefined || value === NOTHING ? null : value;

/** The record of a row. */
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
  // The names and fields of the catalog and those of `Records` are written from one table.
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
  if (kind === "flag") return value !== 0;
  return value === NOTHING ? null : value;
}

const outcomesAt = (row: ArrayLike<number>, at: number, items: number): PageOutcome[] =>
  Array.from({ length: items }, (_, i) => ({
    page: row[at + 2 * i] ?? 0,
    outcome: OUTCOMES[row[at + 2 * i + 1] ?? -1] ?? OUTCOMES[0],
  }));

/** Did the decision of a row find a zone above its mark? None where it is of something else. */
export const passedMark = (kinds: Kinds, row: ArrayLike<number>): boolean | null =>
  kindOf(kinds, row[6] ?? NO_KIND).watermark?.passed ?? null;

/** The values of a record whose name is not known beforehand: what is shown field by field. */
export const valuesByName = (record: Rec): Readonly<Record<string, Value | undefined>> => ({
  ...record.values,
});

/** Is it of one of these kinds? */
export const isOneOf = <N extends RecordName>(
  record: Rec,
  names: ReadonlySet<N>,
): record is Extract<Rec, { readonly name: N }> => (names as ReadonlySet<string>).has(record.name);

/** The kinds of some records, for a filter; one that is nowhere where there are none. */
export function kindsNamed({ records }: Kinds, names: readonly RecordName[]): number[] {
  const kinds = names.map((name) => records.findIndex((kind) => kind.name === name));
  const known = kinds.filter((kind) => kind >= 0);
  return known.length > 0 ? known : [NO_KIND];
}

/** How many numbers the row at a place has. */
function lengthAt(numbers: Float64Array, at: number): number {
  const length = numbers[at] ?? 0;
  if (length >= ROW_HEAD && at + length <= numbers.length) return length;
  throw new Error(`the row at number ${at} of ${numbers.length} says it has ${length} numbers`);
}

/** The records of some rows, oldest first. */
export function* recordsIn(numbers: Float64Array, kinds: Kinds): Generator<Rec> {
  for (let at = 0; at < numbers.length; ) {
    const length = lengthAt(numbers, at);
    yield readRecord(kinds, numbers.subarray(at, at + length));
    at += length;
  }
}

/** Rows as the engine sends them, one after the other, and where each begins. */
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

  /** How many there are. */
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

  /** The rows from one on. */
  from(index: number): Rows {
    return index <= 0
      ? this
      : new Rows(this.numbers.slice(this.#starts[index] ?? this.numbers.length));
  }
}
