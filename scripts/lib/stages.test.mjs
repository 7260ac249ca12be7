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

test("all stages run unless some are named", () => {
  expect(chosen([])).toEqual(["lint", "engine", "page", "journeys"]);
});

test("a named stage brings those it needs, and theirs", () => {
  expect(chosen(["journeys", "lint"])).toEqual(["lint", "engine", "page", "journeys"]);
  expect(chosen(["page"])).toEqual(["engine", "page"]);
});

test("a stage that is not there is refused by name", () => {
  expect(() => chosen(["jurneys"])).toThrow("There is no stage jurneys: choose from lint,");
});
