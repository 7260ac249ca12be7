// A report as CSV for other programs: the shown values with all digits.

import type { Cell, Compared, RunReport, Scoring } from "../../engine/report";

type CsvRow = readonly (string | number | null)[];

const verdict = (cell: Cell | undefined): string => {
  if (cell === undefined) return "";
  return typeof cell === "string" ? cell : cell.agrees ? "agrees" : "differs";
};

/** The rows of a table with published and simulated values for each kernel, and the verdicts. */
export function reportCells(
  kernels: readonly string[],
  rows: readonly Compared[],
  scoring: Scoring | null,
): readonly CsvRow[] {
  const named = (word: string) => kernels.map((kernel) => `${word} ${kernel}`);
  return [
    ["metric", "unit", ...named("published"), ...named("simulated"), ...named("verdict")],
    ...rows.map(({ metric, unit, published, simulated }, r) => [
      metric,
      unit,
      ...kernels.map((_, i) => (Number.isNaN(published[i]) ? null : (published[i] ?? null))),
      ...kernels.map((_, i) => simulated[i] ?? null),
      ...kernels.map((_, i) => verdict(scoring?.cells[r]?.[i])),
    ]),
  ];
}

/** Every delay of the runs with its count, kernel by kernel. */
export const delayCells = (
  kernels: readonly string[],
  results: Readonly<Record<string, Pick<RunReport, "delays">>>,
): readonly CsvRow[] => [
  ["kernel", "waited", "who", "timeout_us", "delayed_us", "count"],
  ...kernels.flatMap((kernel) =>
    (results[kernel]?.delays ?? []).flatMap(({ what, kswapd, timeout_us, bins }) =>
      bins.map(([us, many]) => [kernel, what, kswapd ? "kswapd" : "direct", timeout_us, us, many]),
    ),
  ),
];
