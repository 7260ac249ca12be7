// Every lesson has a test file of its own, so that all processors have work.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testFileOf } from "../scripts/lib/new-lesson.mjs";

const LESSONS = readdirSync("lessons").filter((name) => existsSync(`lessons/${name}/lesson.json`));

test.each(LESSONS)("lessons/tests has the test file of %s", (name) => {
  const path = `lessons/tests/${name}.test.ts`;
  expect(existsSync(path), `${path} is missing; it must have:\n${testFileOf(name)}`).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(testFileOf(name));
});

test("lessons/tests has no test file of a removed lesson", () => {
  const tested = readdirSync("lessons/tests").map((file) => file.replace(/\.test\.ts$/, ""));
  expect(tested.sort()).toEqual(LESSONS.sort());
});
