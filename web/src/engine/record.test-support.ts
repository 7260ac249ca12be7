// Makes records and rows by hand, from the names of their fields.

import { catalog } from "./loaded.test-support";
import { OUTCOMES } from "./pkg/records";
import {
  NOTHING,
  type Rec,
  type RecordHead,
  type RecordName,
  Rows,
  type Value,
  valuesByName,
} from "./record";

const HEAD: RecordHead = { step: 1, time_ns: 0, task: 0, cpu: 0, fn: null, kind: 0, zone: null };

/** The kind of a record, by its index in the catalog. */
export const kindNamed = (name: RecordName): number =>
  catalog.records.findIndex((kind) => kind.name === name);

/** A record. */
export function recordOf<N extends RecordName>(
  name: N,
  values: Rec<N>["values"],
  head: Partial<RecordHead> = {},
): Rec {
  return { ...HEAD, kind: kindNamed(name), ...head, name, values } as Rec;
}

function numbersOf(value: Value | undefined): number[] {
  if (value === undefined || value === null) return [NOTHING];
  if (typeof value === "number" || typeof value === "boolean") return [Number(value)];
  return [value.length, ...value.flatMap(({ page, outcome }) => [page, OUTCOMES.indexOf(outcome)])];
}

/** The row that an engine would send for a record. */
export function rowOf(record: Rec): number[] {
  const values = valuesByName(record);
  const fields = catalog.records[record.kind]?.fields ?? [];
  const { step, time_ns, task, cpu, fn, kind, zone } = record;
  const row = [step, time_ns, task, cpu, fn ?? NOTHING, kind, zone ?? NOTHING];
  for (const { name } of fields) row.push(...numbersOf(values[name]));
  return [row.length + 1, ...row];
}

/** The rows of some records, joined. */
export const rowsOf = (records: readonly Rec[]): Rows =>
  new Rows(Float64Array.from(records.flatMap(rowOf)));
