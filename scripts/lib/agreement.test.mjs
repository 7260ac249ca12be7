import { expect, test } from "vitest";
import { disagreements } from "./agreement.mjs";

/** A decision with the fields n and m, which are numbers, and a zone. @param {string} sentence */
const decision = (sentence) =>
  `decisions! {\n    Name { n: Count, m: Count, zone: Zone }\n        "${sentence}";\n}`;
const inDecision = (/** @type {string} */ sentence) =>
  disagreements("a.rs", decision(sentence)).map((found) => found.split(": ").at(-1));

test("finds a plural that does not depend on the number", () => {
  expect(inDecision("It has {n} faults.")).toEqual(["wrong plural for 1"]);
  expect(inDecision("It has {n} free file pages.")).toEqual(["wrong plural for 1"]);
  expect(inDecision("It has {n fault}, {zone} pages and {m} of them.")).toEqual([]);
});

test("finds a verb that does not fit every number", () => {
  expect(inDecision("Then {n page} are isolated.")).toEqual(["verb wrong for 1 or for many"]);
  expect(inDecision("Of them, {n} of {m page} were freed.")).toEqual([
    "verb wrong for 1 or for many",
  ]);
  expect(inDecision("A pause of {n jiffy} is too short; page {m} is mapped.")).toEqual([]);
});

test("finds a clause that has a number and no verb", () => {
  expect(inDecision("{n page} reclaimed, the goal is {m}.")).toEqual(["no verb"]);
  expect(inDecision("Reclaim freed {n page}.")).toEqual([]);
});

test("finds the same faults in the page, and names file, line and text", () => {
  const number = (/** @type {string} */ code) => `$\{${code}}`;
  // A call with a template in its arguments.
  const nested = `counted(n, \`${number("type")} page\`)`;
  const source = [
    `const a = "${number("count(n)")} pages";`,
    `const b = "${number("counted(n, 'page')")} were read";`,
    `const c = "${number("counted(n, 'page')")} of the file";`,
    'const d = "{shared} shared tasks";',
    "<Rows at={table} rows={rows} />",
    `const e = "${number(nested)} were read";`,
  ].join("\n");
  expect(disagreements("a.tsx", source)).toEqual([
    `a.tsx:2 "${number("counted(n, 'page')")} were read": verb wrong for 1 or for many`,
    `a.tsx:6 "${number(nested)} were read": verb wrong for 1 or for many`,
    `a.tsx:1 "${number("count(n)")} pages": wrong plural for 1`,
    'a.tsx:4 "{shared} shared tasks": wrong plural for 1',
  ]);
});
