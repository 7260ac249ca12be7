import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesBelow, fingerprint, makeUnlessFresh } from "./freshness.mjs";

/** @type {string} */
let folder;
/** @type {string} */
let source;
/** @type {string} */
let output;
let made = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mmscope-"));
  source = join(folder, "src", "a.rs");
  output = join(folder, "out");
  made = 0;
  mkdirSync(join(folder, "src"));
  writeFileSync(source, "one");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** @param {string} variant */
const make = (variant) =>
  makeUnlessFresh(
    {
      name: "thing",
      variant,
      accepts: ["release"],
      inputs: [join(folder, "src")],
      outputs: [output],
    },
    async () => {
      made += 1;
      writeFileSync(output, `${variant} ${made}`);
    },
    join(folder, "notes"),
  );

test("builds an output once and again after its source has changed", async () => {
  await make("release");
  expect(await make("release")).toBe("up to date");
  expect(made).toBe(1);
  writeFileSync(source, "two");
  await make("release");
  expect(made).toBe(2);
});

test("does not rebuild an output when only modification times change", async () => {
  await make("release");
  utimesSync(source, new Date(), new Date());
  await make("release");
  expect(made).toBe(1);
});

test("rebuilds an output if it is missing or belongs to another variant", async () => {
  await make("release");
  rmSync(output);
  await make("release");
  expect(made).toBe(2);
  writeFileSync(output, "somebody else's");
  await make("release");
  expect(made).toBe(3);
});

test("accepts a release build when a dev build is requested, but not the reverse", async () => {
  await make("release");
  await make("dev");
  expect(made).toBe(1);
  writeFileSync(source, "two");
  await make("dev");
  await make("release");
  expect(made).toBe(3);
});

test("tries again after a failure", async () => {
  const broken = async () => {
    throw new Error("no");
  };
  const product = { name: "thing", variant: "release", inputs: [source], outputs: [output] };
  const notes = join(folder, "notes");
  await expect(makeUnlessFresh(product, broken, notes)).rejects.toThrow("no");
  expect(existsSync(join(notes, "thing.json"))).toBe(false);
});

test("a moved file changes the fingerprint and generated folders do not", () => {
  const before = fingerprint([folder], folder);
  mkdirSync(join(folder, "target"));
  writeFileSync(join(folder, "target", "big.o"), "");
  expect(fingerprint([folder], folder)).toBe(before);
  rmSync(source);
  writeFileSync(join(folder, "src", "b.rs"), "one");
  expect(fingerprint([folder], folder)).not.toBe(before);
  expect(filesBelow(folder).map((file) => relative(folder, file))).toEqual([join("src", "b.rs")]);
});
