// A sweep as a person edits it, and as the text of its file.

import type { SweepValue } from "../../engine/sweep";
import { type AxisRow, type FileValues, pathOf, rowOf, valuesOf } from "./axes";
import { NAMELESS, NO_SWEEP, twiceWords } from "./words";

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

/** Why the rows of a form cannot be a file; null if they can. The engine checks the values. */
export function rowFault(rows: readonly AxisRow[]): string | null {
  const paths = rows.map(pathOf);
  const twice = paths.find((path, i) => paths.indexOf(path) < i);
  if (twice !== undefined) return twiceWords(twice);
  const nameless = rows.find(({ kind, name }) => (kind === "tunable" || kind === "path") && !name);
  return nameless ? NAMELESS : null;
}

/** Reads the text of a file for the form; throws a sentence if it is not one. The engine checks the rest. */
export function definitionOf(text: string): Definition {
  const file: unknown = JSON.parse(text);
  if (!isObject(file)) throw new Error(NO_SWEEP);
  const { experiment, axes = {}, figures = null } = file;
  if (typeof experiment !== "string" && !isObject(experiment)) throw new Error(NO_SWEEP);
  if (!isObject(axes)) throw new Error(NO_SWEEP);
  return {
    experiment: experiment as Base,
    rows: Object.entries(axes).map(([path, values]) => rowOf(path, values as FileValues)),
    figures: Array.isArray(figures) ? figures.map(String) : null,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The title of a definition's experiment. */
export function baseTitle(experiment: Base, titles: ReadonlyMap<string, string>): string {
  if (typeof experiment === "string") return titles.get(experiment) ?? experiment;
  const { title, id } = experiment;
  return String(title || id || "");
}
