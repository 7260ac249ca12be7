// The figures of a sweep's runs, as points of a curve or cells of a heat map. Runs that differ in
// other axes, such as the seed, are one point: their median and range.

import { median } from "d3-array";
import type {
  AxisValues,
  CompleteResult,
  SweepJob,
  SweepPlan,
  SweepValue,
} from "../../engine/sweep";
import { ENDED, STEPS, TIME } from "./words";

/** Results by the key of their experiment. */
export type Results = ReadonlyMap<string, CompleteResult>;

/** One combination of the axes' values; several can have one run. */
export interface Combination {
  readonly axes: AxisValues;
  readonly job: SweepJob;
}

/** A run with a value. */
interface Measured extends Combination {
  readonly value: number;
}

/** A point of a curve, or a cell of a heat map. */
export interface Point {
  readonly x: SweepValue;
  /** Null if there is no second axis. */
  readonly y: SweepValue | null;
  /** The number of combinations, including those that have not run. */
  readonly of: number;
  /** The runs that have this figure, by value. */
  readonly runs: readonly Measured[];
  /** Null if no run has this figure. */
  readonly median: number | null;
}

/** An axis of a plan. */
export type PlannedAxis = SweepPlan["axes"][number];

/** Every combination of a plan. */
export const combinations = ({ jobs }: SweepPlan): readonly Combination[] =>
  jobs.flatMap((job) => [job.axes, ...job.same].map((axes) => ({ axes, job })));

/** The axes that can be shown: those with several values. The seed comes last. */
export const shownAxes = ({ axes }: SweepPlan): readonly PlannedAxis[] =>
  axes
    .filter(({ values }) => values.length > 1)
    .toSorted((a, b) => Number(a.path === "seed") - Number(b.path === "seed"));

/** The value of a figure in a run; null if the run does not have it. */
export function figureValue(result: CompleteResult, figure: string): number | null {
  if (figure === TIME) return result.seconds;
  if (figure === STEPS) return result.steps;
  return result.figures[figure] ?? (result.zeros.includes(figure) ? 0 : null);
}

/** All figures of some runs: time and steps, rows of reports, counters. */
export function figuresOf(results: Results): {
  readonly rows: readonly string[];
  readonly counters: readonly string[];
} {
  const names = new Set<string>();
  for (const { figures, zeros } of results.values()) {
    for (const name of Object.keys(figures)) names.add(name);
    for (const name of zeros) names.add(name);
  }
  // The names of counters in /proc/vmstat have no spaces and no capitals.
  const isCounter = (name: string) => /^[a-z0-9_]+$/.test(name);
  const sorted = [...names].sort();
  return {
    rows: sorted.filter((name) => !isCounter(name)),
    counters: sorted.filter(isCounter),
  };
}

const same = (a: SweepValue | undefined, b: SweepValue | null) =>
  JSON.stringify(a ?? null) === JSON.stringify(b);

/** The points of a figure over one or two axes, in the order of the axes' values. */
export function pointsOf(
  plan: SweepPlan,
  results: Results,
  figure: string,
  [x, y]: readonly [PlannedAxis, PlannedAxis | null],
): readonly Point[] {
  const all = combinations(plan);
  return (y?.values ?? [null]).flatMap((valueY) =>
    x.values.map((valueX): Point => {
      const mine = all.filter(
        ({ axes }) => same(axes[x.path], valueX) && (!y || same(axes[y.path], valueY)),
      );
      const runs = mine
        .flatMap((combination): Measured[] => {
          const result = results.get(combination.job.key);
          const value = result ? figureValue(result, figure) : null;
          return value === null ? [] : [{ ...combination, value }];
        })
        .sort((a, b) => a.value - b.value);
      const middle = median(runs, (run) => run.value) ?? null;
      return { x: valueX, y: valueY, of: mine.length, runs, median: middle };
    }),
  );
}

/** A table with a row for each combination that has run: the axes, how the run ended, its figures. */
export function tableOf(
  plan: SweepPlan,
  results: Results,
  figures: readonly string[],
): readonly (readonly (string | number | null)[])[] {
  const paths = plan.axes.map(({ path }) => path);
  const head = [...paths, "key", "hash", ENDED, TIME, STEPS, ...figures];
  const rows = combinations(plan).flatMap(({ axes, job }) => {
    const result = results.get(job.key);
    if (!result) return [];
    const values = paths.map((path) => cellOf(axes[path] ?? null));
    const { hash, ended, seconds, steps } = result;
    const own = figures.map((figure) => figureValue(result, figure));
    return [[...values, job.key, hash, ended, seconds, steps, ...own]];
  });
  return [head, ...rows];
}

const cellOf = (value: SweepValue): string | number =>
  typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
