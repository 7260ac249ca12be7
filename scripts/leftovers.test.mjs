// Leftovers that no linter finds: markers of unfinished work, and paths and download addresses of one
// machine.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "./lib/freshness.mjs";
import { root } from "./lib/project.mjs";

const SOURCE = /\.(rs|ts|tsx|mjs|css|html|mdx|md|json|jsonc|toml|sh)$/;
/** Made by the build, by tools, or by the package manager. */
const MADE = /^(web\/src\/engine\/pkg|test-results|playwright-report)\/|^package-lock\.json$/;

/** @param {string} path */
const isOurs = (path) => SOURCE.test(path) && !MADE.test(path);

const texts = filesBelow(root)
  .map((file) => relative(root, file).replaceAll("\\", "/"))
  .filter(isOurs)
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));

test.each([
  ["a mark left over: do it, or say plainly what is missing", /\b(TO[D]O|FIX[M]E|X{3})\b/],
  ["a path of one machine", /(^|[\s"'`(=])\/(work|farm|home)\/\w/m],
])("no file has %s", (_, pattern) => {
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
});

test("the lock file contains no download addresses", () => {
  expect(readFileSync(`${root}/package-lock.json`, "utf8")).not.toMatch(/"resolved": "http/);
});
