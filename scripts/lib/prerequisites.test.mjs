import { expect, test } from "vitest";
import { isNodeRecent, missing } from "./prerequisites.mjs";

const node = "20.19.0";

test.each([
  ["20.19.0", true],
  ["20.20.2", true],
  ["22.0.0", true],
  ["20.18.3", false],
  ["18.20.4", false],
])("Node %s is recent: %s", (version, isRecent) => {
  expect(isNodeRecent(version)).toBe(isRecent);
});

test("a complete machine lacks nothing", () => {
  expect(missing({ node, answers: () => true })).toEqual([]);
});

test("each thing that is missing has one sentence that says what to install", () => {
  const [old, ...more] = missing({ node: "18.0.0", answers: () => true });
  expect(old).toMatch(/^Node 20\.19 or newer is needed and this is 18\.0\.0: install it from /);
  expect(more).toEqual([]);

  const [rust] = missing({ node, answers: (program) => program !== "cargo" });
  expect(rust).toContain("install rustup");

  const [compiler] = missing({ node, answers: (program) => program !== "cc" });
  expect(compiler).toContain("install one that answers to `cc`");
});
