import { expect, test } from "vitest";
import { comparedRows, type FullRun, fullResults, loadFullSize } from "../../lessons/full-size";
import {
  experimentOf,
  experimentsOf,
  isOffered,
  loadPublications,
  standInNote,
} from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { COSTS } from "../../runs/cost";
import { costOf } from "./experiments";

const { tables: published } = await loadPublications();
const tables = published.filter(isOffered);
const fsmark = tables.find(({ id }) => id === "fsmark");
if (!fsmark) throw new Error("fsmark is a table");
const FSMARK: PublishedTable = fsmark;

test("hides a table while its baseline, all other kernels or an experiment are missing", () => {
  expect(published.filter((table) => !isOffered(table))).toEqual([]);
  const [baseline = "", second = ""] = FSMARK.kernels;
  for (const [kernels, isThere] of [
    [[baseline, second, "nothing"], true],
    [["nothing", baseline, second], false],
    [[baseline, "nothing"], false],
    [[baseline], false],
  ] as const) {
    expect(isOffered({ ...FSMARK, kernels: [...kernels] }), kernels.join()).toBe(isThere);
  }
  expect(isOffered({ ...FSMARK, experiment: "nothing" })).toBe(false);
  const named = (id: string) => published.find((table) => table.id === id) ?? FSMARK;
  // Two tables of one run; one table of two runs.
  for (const id of ["stutterp-latency", "stutterp-vmstat"]) {
    expect(experimentsOf(named(id), "full")).toEqual(["stutterp"]);
  }
  expect(experimentsOf(named("autonuma-bench-mainline"), "full")).toEqual(["numa01", "numa02"]);
  const costs = ["numa01", "numa02"].map((id) => COSTS[id]?.points ?? Number.NaN);
  const both = costOf(named("autonuma-bench-mainline"), "full");
  expect(both?.points).toBe(costs.reduce((sum, points) => sum + points, 0));
});

test("explains the difference in the column of a kernel that is run under another name", () => {
  expect(standInNote("3.6-vanilla")).toContain("3.7 stands in for 3.6");
  expect(FSMARK.kernels.map(standInNote)).toEqual([undefined, undefined, undefined]);
});

test("shows the median of several seeds with the smallest and the largest value", () => {
  const several = (kernel: string, values: readonly number[]): FullRun => {
    const all = values.map((value) => [{ metric: "Elapsed time", unit: "s", value }]);
    const [rows = [], ...others] = all;
    return {
      experiment: "fsmark",
      kernel,
      made: "2026-11-26",
      version: "0.4.0",
      end: { step: 1, time_ns: 1 },
      rows,
      others: others.map((rows) => ({ rows })),
      delays: [],
    };
  };
  const [baseline = "", second = ""] = FSMARK.kernels;
  const runs = [several(baseline, [5, 1, 2]), several(second, [4, 7])];
  const results = fullResults(FSMARK, runs);
  expect([results[baseline]?.seeds, results[second]?.seeds]).toEqual([3, 2]);
  const elapsed = comparedRows(FSMARK, results).find(({ metric }) => metric === "Elapsed time");
  expect(elapsed?.simulated).toEqual([2, 5.5, null]);
  expect(elapsed?.spreads).toEqual([[1, 5], [4, 7], null]);
  // One seed has no spread.
  const one = comparedRows(FSMARK, fullResults(FSMARK, [several(baseline, [3])]));
  expect(one.every(({ spreads }) => spreads === undefined)).toBe(true);
});

test("the committed results have a value for every row of a table", async () => {
  const runs = await loadFullSize();
  expect(runs.length).toBeGreaterThan(0);
  for (const table of tables) {
    for (const run of runs.filter(({ experiment }) =>
      experimentsOf(table, "full").includes(experiment),
    )) {
      if (!table.kernels.includes(run.kernel)) continue;
      const results = { [run.kernel]: run };
      const place = table.kernels.indexOf(run.kernel);
      const rows = table.rows.filter((row) => experimentOf(table, row, "full") === run.experiment);
      for (const { metric, simulated } of comparedRows({ ...table, rows }, results)) {
        expect(simulated[place], `${table.id}, ${run.kernel}: ${metric}`).not.toBeNull();
      }
    }
  }
});
