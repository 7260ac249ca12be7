// A new lesson is complete: it passes every check of the others.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeLesson } from "../scripts/lib/new-lesson.mjs";
import { testLesson } from "./checks.test-support";

const lessons = mkdtempSync(join(tmpdir(), "lessons-"));
afterAll(() => rmSync(lessons, { recursive: true }));

const folder = makeLesson("my-first-lesson", lessons);
describe("a new lesson", () => testLesson(folder));

test("derives the title from the folder name", () => {
  const { title } = JSON.parse(readFileSync(join(folder, "lesson.json"), "utf8"));
  expect(title).toBe("My first lesson");
});

test.each([
  [undefined, /^Give the lesson a name/],
  ["My lesson", /^"My lesson" cannot be a lesson's name/],
  ["../elsewhere", /cannot be a lesson's name/],
  ["my-first-lesson", /^The folder .*my-first-lesson already exists/],
])("refuses the name %s and creates nothing", (name, reason) => {
  const before = existsSync(join(lessons, "..", "elsewhere"));
  expect(() => makeLesson(name, lessons)).toThrow(reason);
  expect(existsSync(join(lessons, "..", "elsewhere"))).toBe(before);
});

test("creates a test file for the lesson", () => {
  const text = readFileSync(join(lessons, "tests", "my-first-lesson.test.ts"), "utf8");
  expect(text).toContain('checkLesson("my-first-lesson");');
});

test.each(["figures", "tests"])("refuses the folder name %s as the name of a lesson", (name) => {
  expect(() => makeLesson(name, "lessons")).toThrow(/already/);
});
