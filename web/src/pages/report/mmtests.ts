// A report in the format in which MMTests compares kernels: a line for each metric, a column for
// each kernel, and after each value its change against the first kernel in percent.

import type { Compared } from "../../engine/report";

/** Values of a metric by kernel, with their changes. */
interface ComparedMetric {
  readonly metric: string;
  readonly unit: string;
  /** Null for a kernel without a result. */
  readonly values: readonly (number | null)[];
  /** Percent against the first kernel; null without a value, or against 0. */
  readonly changes: readonly (number | null)[];
}

/** As in MMTests, a shorter time is a positive change. */
const isBetterLower = (unit: string): boolean => unit === "ms" || unit === "s" || unit === "us";

function changeOf(unit: string, first: number | null, value: number | null): number | null {
  if (first === null || value === null) return null;
  if (first === value) return 0;
  if (first === 0) return null;
  const change = ((value - first) * 100) / first;
  return isBetterLower(unit) ? -change : change;
}

/** The simulated values of a report. Metrics without any value are left out. */
function comparedMetrics(rows: readonly Compared[]): readonly ComparedMetric[] {
  return rows
    .filter(({ simulated }) => simulated.some((value) => value !== null))
    .map(({ metric, unit, simulated }) => ({
      metric,
      unit,
      values: simulated,
      changes: simulated.map((value) => changeOf(unit, simulated[0] ?? null, value)),
    }));
}

/** Width of a value and of its change, as MMTests prints them. */
const VALUE = 12;
const CHANGE = 8;

const cell = (value: number | null, change: number | null): string => {
  const number = value === null ? "-" : value.toFixed(2);
  const percent = change === null ? "-" : `${change.toFixed(2)}%`;
  return `${number.padStart(VALUE)} (${percent.padStart(CHANGE)})`;
};

/** The comparison as text. */
export function mmtestsText(kernels: readonly string[], rows: readonly Compared[]): string {
  const metrics = comparedMetrics(rows);
  const names = metrics.map(({ metric, unit }) => (unit === "" ? metric : `${metric} (${unit})`));
  const width = Math.max(0, ...names.map(({ length }) => length));
  const column = VALUE + CHANGE + 3;
  const head = [" ".repeat(width), ...kernels.map((kernel) => kernel.padStart(column))];
  const lines = metrics.map(({ values, changes }, i) => [
    (names[i] ?? "").padEnd(width),
    ...kernels.map((_, k) => cell(values[k] ?? null, changes[k] ?? null)),
  ]);
  return [head, ...lines].map((parts) => `${parts.join("  ").trimEnd()}\n`).join("");
}

/** The comparison as JSON, with the baseline's name and all digits. */
export function mmtestsJson(
  title: string,
  kernels: readonly string[],
  rows: readonly Compared[],
): string {
  const metrics = comparedMetrics(rows).map(({ metric, unit, values, changes }) => ({
    metric,
    unit,
    results: Object.fromEntries(
      kernels.map((kernel, k) => [
        kernel,
        { value: values[k] ?? null, change_percent: changes[k] ?? null },
      ]),
    ),
  }));
  const document = { format: "mmscope comparison", title, baseline: kernels[0], kernels, metrics };
  return `${JSON.stringify(document, null, 2)}\n`;
}
