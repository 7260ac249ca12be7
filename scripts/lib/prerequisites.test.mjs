import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isNodeRecent, missing } from "./prerequisites.mjs";
import { root } from "./project.mjs";

const node = "20.19.0";

test.each([
  ["20.19.0", true],
  ["20.20.2", true],
  ["21.7.3", false],
  ["22.12.0", false],
  ["22.13.0", true],
  ["23.11.0", false],
  ["24.0.0", true],
  ["26.10.0", true],
  ["20.18.3", false],
  ["18.20.4", false],
])("Node %s is recent enough: %s", (version, isRecent) => {
  expect(isNodeRecent(version)).toBe(isRecent);
});

test("reports nothing missing on a complete machine", () => {
  expect(missing({ node, answers: () => true })).toEqual([]);
});

test("reports each missing program in one sentence with the way to install it", () => {
  const [old, ...more] = missing({ node: "18.0.0", answers: () => true });
  expect(old).toBe(
    "Node 20.19, 22.13 or 24 and newer is needed and this is 18.0.0: install the current LTS, Node 24, from https://nodejs.org.",
  );
  expect(more).toEqual([]);

  const [rust] = missing({ node, answers: (program) => program !== "cargo" });
  expect(rust).toContain("install rustup");

  const [compiler] = missing({ node, answers: (program) => program !== "cc" });
  expect(compiler).toContain("install one that answers to `cc`");
});

test("accepts the versions that package.json names", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(engines.node).toBe("^20.19.0 || ^22.13.0 || >=24.0.0");
});
