import { expect, test } from "vitest";
import { chooseStages } from "./stages.mjs";

const stages = [
  { name: "lint" },
  { name: "engine" },
  { name: "page", needs: ["engine"] },
  { name: "journeys", needs: ["page"] },
];

/** @param {string[]} names */
const chosen = (names) => chooseStages(stages, names).map(({ name }) => name);

test("runs all stages unless some are named", () => {
  expect(chosen([])).toEqual(["lint", "engine", "page", "journeys"]);
});

test("a named stage includes the stages it needs, directly or indirectly", () => {
  expect(chosen(["journeys", "lint"])).toEqual(["lint", "engine", "page", "journeys"]);
  expect(chosen(["page"])).toEqual(["engine", "page"]);
});

test("refuses an unknown stage by name", () => {
  expect(() => chosen(["jurneys"])).toThrow("There is no stage jurneys: choose from lint,");
});
