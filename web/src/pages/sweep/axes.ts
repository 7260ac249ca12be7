// The axes of a sweep as rows of a form: what is changed, and its values as a text.

import type { SweepValue } from "../../engine/sweep";

/** The kind of setting that an axis changes. `path` is any other field of the experiment. */
export type AxisKind = "kernel" | "seed" | "patches" | "machine" | "tunable" | "path";

/** An axis as the user edits it. */
export interface AxisRow {
  readonly kind: AxisKind;
  /** The tunable's name or the path of the field; empty for the other kinds. */
  readonly name: string;
  readonly text: string;
}

/** A range of whole numbers. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly step?: number;
}

/** An axis's values as a sweep file stores them: a list or a range. */
export type FileValues = readonly SweepValue[] | Range;

const TUNABLE = "tunables.";
const RANGE = /^(\d+)\s*(?:to|\.\.|-|–)\s*(\d+)(?:\s*(?:step|by)\s*(\d+))?$/;
const NO_PATCHES = "none";

/** The path of the field that an axis changes. */
export function pathOf({ kind, name }: AxisRow): string {
  if (kind === "tunable") return TUNABLE + name;
  return kind === "path" ? name : kind;
}

/** The values that a text contains. */
export function valuesOf({ kind, text }: AxisRow): FileValues {
  const trimmed = text.trim();
  const list = listOf(trimmed);
  if (list) return list;
  const range = RANGE.exec(trimmed);
  if (range && kind !== "kernel" && kind !== "machine" && kind !== "patches") {
    const [, from, to, step] = range;
    return { from: Number(from), to: Number(to), ...(step && { step: Number(step) }) };
  }
  if (kind === "patches") return parts(trimmed, ";").map(patchesOf);
  const items = parts(trimmed, ",");
  return kind === "kernel" || kind === "machine" ? items : items.map(tokenValue);
}

/** A row whose values are those of a file. */
export function rowOf(path: string, values: FileValues): AxisRow {
  const { kind, name } = kindOf(path);
  const text = textOf(kind, values);
  const row = { kind, name, text };
  // Values that the short form cannot express are written as a JSON list.
  if (JSON.stringify(valuesOf(row)) === JSON.stringify(values)) return row;
  return { kind, name, text: JSON.stringify(values) };
}

function kindOf(path: string): Pick<AxisRow, "kind" | "name"> {
  if (path.startsWith(TUNABLE)) return { kind: "tunable", name: path.slice(TUNABLE.length) };
  if (path === "kernel" || path === "seed" || path === "patches" || path === "machine") {
    return { kind: path, name: "" };
  }
  return { kind: "path", name: path };
}

function textOf(kind: AxisKind, values: FileValues): string {
  if (!isList(values)) {
    const step = values.step === undefined ? "" : ` step ${values.step}`;
    return `${values.from} to ${values.to}${step}`; // not a text: the reader types this range
  }
  if (kind === "patches") return values.map(patchWords).join("; ");
  return values
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(", ");
}

const isList = (values: FileValues): values is readonly SweepValue[] => Array.isArray(values);

function listOf(text: string): readonly SweepValue[] | null {
  if (!text.startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

const parts = (text: string, between: string): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== "");

const patchesOf = (text: string): readonly string[] =>
  text === NO_PATCHES ? [] : text.split(/[\s,+]+/).filter((id) => id !== "");

const patchWords = (value: SweepValue): string =>
  Array.isArray(value) && value.length > 0 ? value.join(" + ") : NO_PATCHES;

function tokenValue(text: string): SweepValue {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

/** A value of an axis in words, for the axis with a path. */
export function valueWords(path: string, value: SweepValue): string {
  if (path === "patches") return patchWords(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An axis in words. */
export const axisWords = (path: string): string =>
  path.startsWith(TUNABLE) ? path.slice(TUNABLE.length) : path;
