import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { count } from "../../engine/format";
import { readTruth } from "../../engine/loaded.test-support";
import { isTwin, percentOf } from "./words";

test("the README gives the mean and the median error over the counters of real kernels", () => {
  const { twins, twins_score } = readTruth();
  const { counters, mean, median } = twins_score.all;
  const runs = twins.filter(isTwin).length;
  const readme = readFileSync("README.md", "utf8").replaceAll(/\s+/g, " ");
  expect(readme).toContain(
    `The mean error of ${count(counters)} counters of ${runs} runs is ${percentOf(mean)}, ` +
      `the median ${percentOf(median)}.`,
  );
});

test("the counters of each kernel are part of the whole", () => {
  const { all, by_kernel } = readTruth().twins_score;
  const sum = by_kernel.reduce((total, { counters }) => total + counters, 0);
  expect(sum).toBe(all.counters);
  expect(by_kernel.map(({ kernel }) => kernel)).toEqual(["5.10", "6.1", "6.12"]);
});
