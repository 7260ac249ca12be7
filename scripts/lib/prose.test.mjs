import { expect, test } from "vitest";
import { phrases, RULES } from "./prose.mjs";

test("names the file, the line, the phrase and its replacement", () => {
  expect(phrases("a.md", "One line.\nThis was held against a table.\n")).toEqual([
    'a.md:2 "held against": write compared with, checked against',
  ]);
});

test("reads the strings and texts of a component, but neither code nor comments", () => {
  const source = [
    "// The page is told of it.",
    "const told = { of: 1 };",
    'const label = "The reader is told";',
    "<p>Pages are thrown out here</p>",
  ].join("\n");
  expect(phrases("a.tsx", source).map((fault) => fault.split(" ")[0])).toEqual([
    "a.tsx:3",
    "a.tsx:4",
  ]);
});

test("ignores code in documents", () => {
  expect(phrases("a.md", "Run `git held against`.\n\n    held against\n")).toEqual([]);
});

test("every phrase has a replacement", () => {
  for (const { instead } of RULES) expect(instead.length).toBeGreaterThan(0);
});
