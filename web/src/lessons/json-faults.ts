// Reads a JSON text by a schema. Each error is a message with its line.

import * as v from "valibot";
import { fieldsIn, placeAt, scanJson } from "../link/json-positions";
import { JSON_FAULTS } from "./words";

/** An error in a text. */
export interface JsonFault {
  /** From 1; null if it concerns the whole text. */
  readonly line: number | null;
  readonly reason: string;
}

/** The line of a field of a JSON text, or of the nearest enclosing field. */
export function lineIn(text: string, path: string): number | null {
  return fieldsIn(text)(path)?.line ?? null;
}

/** Reads a text: the JSON value, and the schema's output if there is no error. */
export function readJsonText<S extends v.GenericSchema>(
  text: string,
  schema: S,
): { value: unknown; read: v.InferOutput<S> | null; faults: readonly JsonFault[] } {
  const scanned = scanJson(text);
  if (!scanned.ok) {
    const fault = { line: placeAt(text, scanned.at).line, reason: scanned.reason };
    return { value: undefined, read: null, faults: [fault] };
  }
  const value: unknown = JSON.parse(text);
  const read = v.safeParse(schema, value);
  if (read.success) return { value, read: read.output, faults: [] };
  const placeOf = fieldsIn(text);
  const faults = read.issues.map((issue) => {
    const path = pathOf(issue.path ?? []);
    return { line: placeOf(path)?.line ?? null, reason: reasonOf(path, issue) };
  });
  return { value, read: null, faults };
}

/** A path in the usual notation: "steps[2].title". */
const pathOf = (path: readonly { readonly key?: unknown }[]): string =>
  path.reduce(
    (before, { key }) =>
      typeof key === "number" ? `${before}[${key}]` : before === "" ? `${key}` : `${before}.${key}`,
    "",
  );

/** Words for the schema's kinds of values. */
const KINDS: Readonly<Record<string, string>> = {
  number: "a number",
  string: "a text",
  Array: "a list",
  Object: "an object",
};

function reasonOf(path: string, { type, expected, received, message }: v.BaseIssue<unknown>) {
  const field = path === "" ? JSON_FAULTS.file : path;
  if (expected === "never") return JSON_FAULTS.unknownField(field);
  if (received === "undefined") return JSON_FAULTS.missing(field);
  if (type === "min_length") return JSON_FAULTS.tooShort(field);
  if (type === "max_length") return JSON_FAULTS.tooLong(field);
  if (type === "regex") return JSON_FAULTS.badName(field, received);
  if (expected && received) {
    return JSON_FAULTS.notOneOf(field, received, KINDS[expected] ?? expected);
  }
  return `${field}: ${message}`;
}
