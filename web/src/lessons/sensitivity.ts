// Shows how results change with one constant of an experiment. `npm run sim -- sensitivity --write`
// makes the committed data, which is loaded when a report that has some is opened.

import * as v from "valibot";
import { once } from "../engine/once";

const values = v.array(v.number());

const constant = v.strictObject({
  name: v.string(),
  unit: v.string(),
  /** The source of its value and its range. */
  source: v.string(),
  used: v.number(),
  tried: v.array(v.strictObject({ value: v.number(), results: values })),
});

const row = v.looseObject({
  table: v.string(),
  row: v.string(),
  /** In the order of `results`, the baseline first. */
  kernels: v.array(v.string()),
  /** The working time of the threads in these runs, if it was not the experiment's own time. */
  works: v.nullable(v.string()),
  results: values,
  constants: v.array(constant),
});

const file = v.looseObject({ made: v.pipe(v.string(), v.isoDate()), rows: v.array(row) });

/** A published row, with each kernel's results for changes of one constant. */
export type SensitiveRow = v.InferOutput<typeof row>;
/** A constant with the values that were tried. */
export type TriedConstant = v.InferOutput<typeof constant>;

/** Loads the committed results. */
export const loadSensitivity = once(async () => {
  const { default: whole } = await import("../../../lessons/sensitivity.json");
  return v.parse(file, whole);
});

/** Each result divided by the baseline's result. */
export const ratios = (results: readonly number[]): readonly number[] => {
  const [baseline = Number.NaN, ...others] = results;
  return others.map((result) => result / baseline);
};
