// The committed full-size results: the results of each kernel of each published table, written by
// `npm run sim -- fidelity --write`. They are loaded on demand.

import * as v from "valibot";
import { once } from "../engine/once";
import type { Compared, RunReport, Spread } from "../engine/report";
import { experimentOf, experimentsOf, type Size } from "./publications";
import type { PublishedTable } from "./schema";

const rowsFile = v.array(
  v.strictObject({ metric: v.string(), unit: v.string(), value: v.number() }),
);

const runFile = v.looseObject({
  experiment: v.string(),
  kernel: v.string(),
  made: v.pipe(v.string(), v.isoDate()),
  version: v.string(),
  end: v.looseObject({ step: v.number(), time_ns: v.number() }),
  rows: rowsFile,
  /** The results with other seeds. */
  others: v.optional(v.array(v.looseObject({ rows: rowsFile }))),
  delays: v.array(
    v.strictObject({
      what: v.string(),
      kswapd: v.boolean(),
      tick_us: v.number(),
      timeout_us: v.number(),
      bins: v.array(v.tuple([v.number(), v.number()])),
      coarse: v.array(v.number()),
    }),
  ),
});

const file = v.looseObject({ runs: v.array(runFile) });

/** One committed run. */
export type FullRun = v.InferOutput<typeof runFile>;

/** The results of one kernel in all runs of a table. */
export interface FullResult extends RunReport {
  /** The date of the latest of these runs: "2026-11-26". */
  readonly made: string;
  /** The engine version that made them. */
  readonly version: string;
  /** The smallest number of seeds among the runs; each value is the median over the seeds. */
  readonly seeds: number;
  /** The spread by metric, if the values of the seeds differ. */
  readonly spreads: Readonly<Record<string, Spread>>;
}

/** Loads all committed runs. */
export const loadFullSize = once(async (): Promise<readonly FullRun[]> => {
  const { default: whole } = await import("../../../lessons/full-size.json");
  return v.parse(file, whole).runs;
});

/** The committed results of a table, by kernel; kernels with a missing run are left out. */
export function fullResults(
  table: PublishedTable,
  runs: readonly FullRun[],
): Readonly<Record<string, FullResult>> {
  const ids = experimentsOf(table, "full");
  const found: Record<string, FullResult> = {};
  for (const kernel of table.kernels) {
    const of = ids.map((id) => runs.find((run) => run.experiment === id && run.kernel === kernel));
    const all = of.filter((run) => run !== undefined);
    const last = all.toSorted((a, b) => a.made.localeCompare(b.made)).at(-1);
    if (!last || all.length < ids.length) continue;
    const { rows, delays } = joinedReport(table, "full", all.map(medianOf));
    const spreads: Record<string, Spread> = {};
    for (const [i, run] of all.entries()) {
      for (const { metric } of run.rows) {
        const values = isReportedOf(table, metric, ids[i]) ? valuesOf(run, metric) : [];
        const [least, most] = [Math.min(...values), Math.max(...values)];
        if (least < most) spreads[metric] = [least, most];
      }
    }
    const seeds = Math.min(...all.map((run) => rowsOf(run).length));
    found[kernel] = { rows, delays, made: last.made, version: last.version, seeds, spreads };
  }
  return found;
}

/** Does a run of this experiment report this metric for a table? */
const isReportedOf = (table: PublishedTable, metric: string, id: string | undefined): boolean =>
  table.rows.some(
    (row) =>
      (row.counted?.[0]?.metric ?? row.metric) === metric &&
      experimentOf(table, row, "full") === id,
  );

/** The rows of each seed of a run. */
const rowsOf = ({ rows, others = [] }: FullRun) => [rows, ...others.map((other) => other.rows)];

/** The values of a metric, one for each seed. */
const valuesOf = (run: FullRun, metric: string): readonly number[] =>
  rowsOf(run).flatMap((rows) => measuredOf(rows, metric) ?? []);

/** A run's rows, each with the median over the seeds; for two middle values, the mean of both. */
function medianOf(run: FullRun): RunReport {
  const rows = run.rows.map((row) => {
    const values = valuesOf(run, row.metric).toSorted((a, b) => a - b);
    const middle = values.length / 2;
    const [low = row.value, high = row.value] = [
      values[Math.ceil(middle) - 1],
      values[Math.floor(middle)],
    ];
    return { ...row, value: (low + high) / 2 };
  });
  return { rows, delays: run.delays };
}

/**
 * Joins the runs of a table's experiments in order, taking from each run the rows that it reports.
 */
export function joinedReport(
  table: PublishedTable,
  size: Size,
  runs: readonly RunReport[],
): RunReport {
  const [first] = runs;
  if (first && runs.length === 1) return { rows: first.rows, delays: first.delays };
  const ids = experimentsOf(table, size);
  const isOf = (metric: string, i: number) =>
    table.rows.some((row) => row.metric === metric && experimentOf(table, row, size) === ids[i]);
  return {
    rows: runs.flatMap(({ rows }, i) => rows.filter(({ metric }) => isOf(metric, i))),
    delays: runs.flatMap(({ delays }) => delays),
  };
}

/** The value of a metric in a run's rows; null if the metric is missing or there was no run. */
export const measuredOf = (rows: RunReport["rows"] | undefined, metric: string): number | null =>
  rows?.find((row) => row.metric === metric)?.value ?? null;

/** Rows of a table with the values of the kernels that have run. */
export function comparedRows(
  { kernels, rows }: Pick<PublishedTable, "kernels" | "rows">,
  results: Readonly<Record<string, Pick<RunReport, "rows"> & Partial<FullResult>>>,
): readonly Compared[] {
  return rows.map(({ metric, unit, values, unscored, counted }) => {
    const measured = counted?.[0]?.metric ?? metric;
    const spreads = kernels.map((kernel) => results[kernel]?.spreads?.[measured] ?? null);
    return {
      metric,
      unit,
      unscored,
      published: values,
      simulated: kernels.map((kernel) => measuredOf(results[kernel]?.rows, measured)),
      ...(spreads.some((spread) => spread !== null) && { spreads }),
    };
  });
}
