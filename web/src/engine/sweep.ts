// Sweeps: one experiment along axes. The engine reads sweep files and writes result lines, with the
// same code as `mmscope sweep`; docs/sweeps.md describes both.

import type { Reader } from "./reader";

/** A value as JSON. */
export type SweepValue =
  | string
  | number
  | boolean
  | null
  | readonly SweepValue[]
  | { readonly [field: string]: SweepValue };

/** The values of the axes of a run, by path. */
export type AxisValues = Readonly<Record<string, SweepValue>>;

/** One run of a sweep. */
export interface SweepJob {
  /** The key of the run's experiment. */
  readonly key: string;
  readonly axes: AxisValues;
  /** Other values of the axes that give the same experiment. */
  readonly same: readonly AxisValues[];
}

/** A sweep that the engine has checked. */
export interface SweepPlan {
  /** The description of the experiment. */
  readonly start: { readonly [field: string]: SweepValue };
  readonly axes: readonly { readonly path: string; readonly values: readonly SweepValue[] }[];
  /** The figures to write in the lines; null for all. */
  readonly figures: readonly string[] | null;
  readonly jobs: readonly SweepJob[];
}

/** The result of a run with all of its figures. */
export interface CompleteResult {
  readonly seed: number;
  readonly engine: string;
  readonly hash: string;
  readonly steps: number;
  readonly seconds: number;
  readonly ended: "end" | "done" | "panic" | "stopped";
  /** All counters that are not 0, and all rows of reports. */
  readonly figures: Readonly<Record<string, number>>;
  /** The counters that are 0. */
  readonly zeros: readonly string[];
}

/** A run that has ended, with the engine's JSON text of its {@link CompleteResult}. */
export interface EndedJob extends SweepJob {
  readonly result: string;
}

/** An error for a sweep that the engine rejected. */
export class SweepRefused extends Error {
  /** Sentences, each with the location of the error. */
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join("\n"));
    this.reasons = reasons;
  }
}

/** The parts of a reader that sweeps use. */
export type SweepCalls = Pick<Reader, "call"> & Partial<Pick<Reader, "dispose">>;

/** Reads the text of a file and checks every combination; rejects with {@link SweepRefused}. */
export const planSweep = async (reader: SweepCalls, file: string): Promise<SweepPlan> =>
  accepted(await reader.call("plan_sweep", file));

/** The canonical JSON of the experiment of a run. */
export const sweepExperiment = async (
  reader: SweepCalls,
  file: string,
  axes: AxisValues,
): Promise<string> => accepted(await reader.call("sweep_experiment", file, JSON.stringify(axes)));

/** The lines of some runs, equal to those of `mmscope sweep`. */
export const sweepLines = async (
  reader: SweepCalls,
  file: string,
  runs: readonly EndedJob[],
): Promise<string> => accepted(await reader.call("sweep_lines", file, JSON.stringify(runs)));

function accepted<T>(text: string): T {
  const { ok, refused } = JSON.parse(text);
  if (refused) throw new SweepRefused(refused);
  return ok;
}
