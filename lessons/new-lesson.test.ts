// A lesson that was only just made is a lesson: every check of the others is run on it.

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

test("its title is its name in words", () => {
  const { title } = JSON.parse(readFileSync(join(folder, "lesson.json"), "utf8"));
  expect(title).toBe("My first lesson");
});

test.each([
  [undefined, /^Say what it is called/],
  ["My lesson", /^"My lesson" cannot be a lesson's name/],
  ["../elsewhere", /cannot be a lesson's name/],
  ["my-first-lesson", /^There is a folder .*my-first-lesson already/],
])("the name %s is refused, and makes nothing", (name, reason) => {
  const before = existsSync(join(lessons, "..", "elsewhere"));
  expect(() => makeLesson(name, lessons)).toThrow(reason);
  expect(existsSync(join(lessons, "..", "elsewhere"))).toBe(before);
});

test("it has a test file of its own", () => {
  const text = readFileSync(join(lessons, "tests", "my-first-lesson.test.ts"), "utf8");
  expect(text).toContain('checkLesson("my-first-lesson");');
});

test.each(["figures", "tests"])("the folder %s is no lesson's name", (name) => {
  expect(() => makeLesson(name, "lessons")).toThrow(/already/);
});
