import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { counted } from "./format";

test("counted uses the singular for 1 and the plural for other numbers", () => {
  expect([0, 1, 2, 4096].map((n) => counted(n, "page"))).toEqual([
    "0 pages",
    "1 page",
    "2 pages",
    "4,096 pages",
  ]);
  expect([1, 3].map((n) => counted(n, "pass", "passes"))).toEqual(["1 pass", "3 passes"]);
});

const NOUNS =
  "pages|pageblocks|nodes|zones|blocks|CPUs|steps|events|files|tasks|runs|kernels|rows|minutes|moments|times|requests|reads|writes|slots|passes|walks|faults|patches";
/** A formatted count, in braces or a template, directly followed by a plural noun. */
const BY_HAND = new RegExp(`\\b(?:count|num)\\([^{}]*\\)\\} (?:${NOUNS})\\b(?!/)`);

test("every text that counts a noun uses counted()", () => {
  const found = readdirSync("web/src", { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.includes("engine/pkg"))
    .flatMap((file) =>
      readFileSync(`web/src/${file}`, "utf8")
        .split("\n")
        .flatMap((line, i) => (BY_HAND.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});
