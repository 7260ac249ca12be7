import { expect, test } from "vitest";
import figures from "../../../lessons/figures/numa-core.json";
import { loadSensitivity, ratios } from "./sensitivity";

test("divides each result by the result of the baseline", () => {
  expect(ratios([2, 3, 5])).toEqual([1.5, 2.5]);
  expect(ratios([])).toEqual([]);
});

test("has a result of each kernel of the table for each value of a constant", async () => {
  const { rows } = await loadSensitivity();
  expect(rows.map(({ row }) => row)).toEqual(["sum", "numa01", "numa02"]);
  for (const { table, row, kernels, results, constants } of rows) {
    const published = figures.tables.find(({ id }) => id === table);
    expect(published?.kernels, row).toEqual(kernels);
    expect(published?.rows.map(({ metric }) => metric)).toContain(row);
    const all = [results, ...constants.flatMap(({ tried }) => tried.map((each) => each.results))];
    for (const values of all) {
      expect(values).toHaveLength(kernels.length);
      expect(Math.min(...values), row).toBeGreaterThan(0);
    }
  }
});

test("tries each constant below and above its default value", async () => {
  const { rows } = await loadSensitivity();
  for (const { name, used, tried } of rows.flatMap(({ constants }) => constants)) {
    const [low, high] = tried.map(({ value }) => value);
    expect(low, name).toBeLessThan(used);
    expect(high, name).toBeGreaterThan(used);
  }
});
