// The Python package as its users get it: built, installed in an empty environment, and called.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "./project.mjs";
import { buildWheel } from "./wheel.mjs";

/** Compiling takes minutes on a busy machine. */
const BUILD_MS = 1_200_000;
const PRESET = "first-touch.teach";

const folder = mkdtempSync(join(tmpdir(), "mmscope-wheel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const python = join(folder, "venv", "bin", "python");

/** @param {string} program @param {string[]} args */
const call = (program, ...args) => spawnSync(program, args, { encoding: "utf8" });

/** Why the wheel cannot be built here; null if it can. */
let lack = /** @type {string | null} */ (null);

beforeAll(async () => {
  lack = findLack();
  if (lack !== null) return console.log(`skipped: ${lack}`);
  const wheel = await buildWheel(python, join(folder, "wheel"), "dev");
  const installed = call(python, "-m", "pip", "install", "--quiet", "--no-index", wheel);
  expect(installed.stderr).not.toContain("ERROR");
}, BUILD_MS);

function findLack() {
  if (call("python3", "-m", "venv", join(folder, "venv")).status !== 0)
    return "python3 with venv and pip is not installed";
  const fetched = call(
    python,
    "-m",
    "pip",
    "download",
    "--quiet",
    "--no-deps",
    "-d",
    folder,
    "maturin",
  );
  return fetched.status === 0 ? null : "pip cannot get the package maturin";
}

/** Runs a Python program that prints JSON. @param {string} code */
function answer(code) {
  const { status, stdout, stderr } = call(python, "-c", `import json, mmscope\n${code}`);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

test("a run from Python has the same hash as the native engine", (context) => {
  if (lack !== null) return context.skip(lack);
  const file = join(root, "engine", "mm", "tests", "data", "hashes.txt");
  const kept = readFileSync(file, "utf8").split("\n");
  const last = kept.filter((line) => line.startsWith(`${PRESET} `)).at(-1) ?? "";
  const hash = last.split(" ")[2];
  const got = answer(
    `print(json.dumps([mmscope.hash("${PRESET}"), mmscope.run("${PRESET}")["hash"], mmscope.command()]))`,
  );
  expect(got).toEqual([hash, hash, join(folder, "venv", "bin", "mmscope")]);
});

test("yields the lines of a sweep and stops the sweep when the loop is left", (context) => {
  if (lack !== null) return context.skip(lack);
  /** @type {{ seed: number, hash: string, figures: Record<string, number> }[]} */
  const lines = answer(
    `axes = {"seed": range(1, 4), "length": ["3ms"]}
print(json.dumps(list(mmscope.sweep("${PRESET}", axes, figures=["pgfault"]))))`,
  );
  expect(lines.map(({ seed }) => seed).sort()).toEqual([1, 2, 3]);
  expect(new Set(lines.map(({ hash }) => hash)).size).toBe(3);
  expect(Object.keys(lines[0]?.figures ?? {})).toEqual(["pgfault"]);
  const first = answer(
    `lines = mmscope.sweep("${PRESET}", {"seed": range(1, 100), "length": ["3ms"]})
first = next(lines)
lines.close()
print(json.dumps([first["hash"], list(lines)]))`,
  );
  expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), []]);
});

test("raises an exception with the reasons when an experiment is refused", (context) => {
  if (lack !== null) return context.skip(lack);
  const [run, sweep] = answer(
    `def reason(call):
    try:
        call()
    except mmscope.Refused as refused:
        return str(refused)
print(json.dumps([reason(lambda: mmscope.run({"kernel": "9.9"})),
                  reason(lambda: list(mmscope.sweep("nothing.teach", {})))]))`,
  );
  expect(run).toContain("machine: this field is missing");
  expect(sweep).toContain("no experiment is called 'nothing.teach'");
});
