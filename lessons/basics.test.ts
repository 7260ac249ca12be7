// basics.json has the questions of a person without knowledge of the kernel. A lesson answers each of
// them, in sentences that the lesson's test checks.

import { existsSync, readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { testFileOf } from "../scripts/lib/new-lesson.mjs";
import { isClaim, readPromises } from "../web/src/lessons/schema";

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());

const basics = v.strictObject({
  for: text,
  questions: v.pipe(
    v.array(
      v.strictObject({
        question: v.pipe(text, v.endsWith("?")),
        lesson: v.pipe(text, v.regex(/^[a-z][a-z0-9-]*$/)),
        /** One or two plain sentences. */
        answer: text,
        /** Sentences of the lesson with this answer, as its claims quote them. */
        promises: v.pipe(v.array(text), v.nonEmpty()),
      }),
    ),
    v.length(10),
  ),
});

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The file before validation, so that a faulty entry fails its own test. */
const { questions } = read("lessons/basics.json") as {
  questions: { question: string; lesson: string; answer?: string; promises?: string[] }[];
};

/** The sentences that a lesson's test runs; empty for an unknown lesson. */
function statementsIn(lesson: string): readonly string[] {
  const path = `lessons/${lesson}/claims.json`;
  return existsSync(path)
    ? readPromises(read(path))
        .filter(isClaim)
        .map(({ says }) => says)
    : [];
}

test("there are ten questions, each with a lesson, an answer and promises", () => {
  const { issues = [] } = v.safeParse(basics, read("lessons/basics.json"));
  expect(issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)).toEqual([]);
});

test("each question occurs once, and each named lesson answers two questions", () => {
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length);
  const lessons = questions.map(({ lesson }) => lesson);
  const counts = [...new Set(lessons)].map(
    (lesson) => [lesson, lessons.filter((each) => each === lesson).length] as const,
  );
  expect(counts.filter(([, count]) => count !== 2)).toEqual([]);
});

describe.each(questions)("$question", ({ lesson, answer = "", promises = [] }) => {
  test("names a lesson whose test runs its promises", () => {
    const path = `lessons/tests/${lesson}.test.ts`;
    expect(existsSync(`lessons/${lesson}/lesson.json`), `there is no lesson ${lesson}`).toBe(true);
    expect(existsSync(path) && readFileSync(path, "utf8")).toBe(testFileOf(lesson));
  });

  test("has an answer of one or two sentences with at most 30 words each", () => {
    const sentences = answer.split(/(?<=[.!?]) (?=[A-Z])/).filter((sentence) => sentence !== "");
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.length).toBeLessThanOrEqual(2);
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 30)).toEqual([]);
  });

  test("builds the answer from sentences that the lesson promises", () => {
    const statements = statementsIn(lesson);
    expect(promises.length).toBeGreaterThan(0);
    expect(promises.filter((promise) => !statements.includes(promise))).toEqual([]);
  });
});
