import { expect, test } from "vitest";
import type { Compared } from "../../engine/report";
import { mmtestsJson, mmtestsText } from "./mmtests";

const row = (metric: string, unit: string, simulated: readonly (number | null)[]): Compared =>
  ({ metric, unit, published: [], simulated }) as unknown as Compared;

const ROWS = [
  row("Elapsed time", "s", [10, 5]),
  row("pgscan_direct", "pages", [100, 150]),
  row("Swap ins", "pages", [0, 3]),
  row("Never run", "pages", [null, null]),
];

test("prints a line for each metric with the change of each kernel in percent", () => {
  expect(mmtestsText(["3.0", "patched"], ROWS).split("\n")).toEqual([
    "                                           3.0                  patched",
    "Elapsed time (s)              10.00 (   0.00%)          5.00 (  50.00%)",
    "pgscan_direct (pages)        100.00 (   0.00%)        150.00 (  50.00%)",
    "Swap ins (pages)               0.00 (   0.00%)          3.00 (       -)",
    "",
  ]);
});

test("the JSON has all measured values by kernel and no others", () => {
  const document = JSON.parse(mmtestsJson("A table", ["3.0", "patched"], ROWS));
  expect(document).toMatchObject({ baseline: "3.0", kernels: ["3.0", "patched"] });
  expect(document.metrics).toHaveLength(3);
  expect(document.metrics[1]).toEqual({
    metric: "pgscan_direct",
    unit: "pages",
    results: {
      "3.0": { value: 100, change_percent: 0 },
      patched: { value: 150, change_percent: 50 },
    },
  });
});
