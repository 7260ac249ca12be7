// A sweep as the user edits it, and as the text of its file.

import * as v from "valibot";
import type { SweepValue } from "../../engine/sweep";
import { fieldsIn, placeAt, scanJson } from "../../link/json-positions";
import { type AxisRow, type FileValues, pathOf, rowOf, valuesOf } from "./axes";
import { FILE, NAMELESS, twiceWords } from "./words";

/** The experiment that is swept: the id of a ready-made one, or a description. */
type Base = string | { readonly [field: string]: SweepValue };

/** A sweep as a form shows it. */
export interface Definition {
  readonly experiment: Base;
  readonly rows: readonly AxisRow[];
  /** The figures of the lines; null for all. */
  readonly figures: readonly string[] | null;
}

/** A first sweep of an experiment. */
export const firstDefinition = (experiment: Base): Definition => ({
  experiment,
  rows: [
    { kind: "tunable", name: "vm.swappiness", text: "0, 30, 60, 100" },
    { kind: "seed", name: "", text: "1 to 3" },
  ],
  figures: null,
});

/** The text of a sweep's file. */
export function fileOf({ experiment, rows, figures }: Definition): string {
  const axes = Object.fromEntries(rows.map((row) => [pathOf(row), valuesOf(row)]));
  const file = { experiment, axes, ...(figures && { figures }) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/**
 * The reason why the rows of a form are not a valid file; null if they are valid. The engine checks
 * the values.
 */
export function rowFault(rows: readonly AxisRow[]): string | null {
  const paths = rows.map(pathOf);
  const twice = paths.find((path, i) => paths.indexOf(path) < i);
  if (twice !== undefined) return twiceWords(twice);
  const nameless = rows.find(({ kind, name }) => (kind === "tunable" || kind === "path") && !name);
  return nameless ? NAMELESS : null;
}

/** A text that is no sweep file. The message says where the fault is, and what is wrong. */
class SweepFileFault extends Error {}

type Fields = { readonly [field: string]: unknown };
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const RANGE = v.strictObject({ from: whole, to: whole, step: v.optional(whole) });
const VALUES = v.union([v.array(v.unknown()), RANGE], FILE.values);
const FIELDS = v.strictObject(
  {
    experiment: v.union([v.string(), v.custom<Fields>(isObject)], FILE.experiment),
    axes: v.optional(
      v.pipe(v.custom<Fields>(isObject, FILE.axes), v.record(v.string(), VALUES)),
      {},
    ),
    figures: v.nullish(v.array(v.string(FILE.figures), FILE.figures)),
  },
  ({ expected, received }) => {
    if (expected === "never") return FILE.unknownField;
    return received === "undefined" ? FILE.missing : FILE.noObject;
  },
);

const SWEEP = v.pipe(v.custom<Fields>(isObject, FILE.noObject), FIELDS);

/**
 * Reads the text of a file for the form; throws an error with a sentence if the text is not a
 * sweep. The engine checks the rest.
 */
export function definitionOf(text: string): Definition {
  const scanned = scanJson(text);
  if (!scanned.ok) throw new SweepFileFault(FILE.at(placeAt(text, scanned.at), "", scanned.reason));
  const read = v.safeParse(SWEEP, JSON.parse(text), { abortEarly: true });
  if (!read.success) {
    const [{ path, message }] = read.issues;
    const field = path?.map(({ key }) => String(key)).join(".") ?? "";
    throw new SweepFileFault(FILE.at(fieldsIn(text)(field), field, message));
  }
  const { experiment, axes, figures = null } = read.output;
  return {
    experiment: experiment as Base,
    rows: Object.entries(axes).map(([path, values]) => rowOf(path, values as FileValues)),
    figures,
  };
}

/** Whether a text is a sweep file. */
export function isDefinition(text: string): boolean {
  try {
    definitionOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The title of a definition's experiment. */
export function baseTitle(experiment: Base, titles: ReadonlyMap<string, string>): string {
  if (typeof experiment === "string") return titles.get(experiment) ?? experiment;
  const { title, id } = experiment;
  return String(title || id || "");
}
