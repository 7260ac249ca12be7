import { beforeEach, expect, test, vi } from "vitest";
import { basesOf, LESSONS, type LessonHead, lessonAfter, lessonsOf, PARTS } from "./heads";
import { keepProgress } from "./progress";
import type { Course } from "./schema";
import { standingOf, standingWords, suggestion } from "./standing";

beforeEach(() => {
  const storage = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, text: string) => storage.set(key, text),
  });
});

const head = (id: string, steps: readonly string[], isOfCourse = true): LessonHead => ({
  id,
  title: id,
  about: "",
  minutes: 10,
  steps: steps.map((step) => ({ id: step })),
  ...(isOfCourse && {
    course: { part: "basics", place: 1, audience: "", goals: ["read"], builds_on: [] },
  }),
});

const FIRST = head("first", ["a", "b", "c"]);
const SECOND = head("second", ["a", "b"]);

function read(lesson: LessonHead, visited: readonly string[], current = visited.at(-1) ?? null) {
  const nothing = { given: {}, settings: {}, built: {}, shown: [] };
  keepProgress(lesson.id, { ...nothing, visited: [...visited], current });
}

const wordsOf = (lesson: LessonHead) => standingWords(standingOf(lesson));

test("a lesson counts as not begun if only its first step was opened", () => {
  expect(wordsOf(FIRST)).toBe("not begun");
  read(FIRST, ["a"]);
  expect(wordsOf(FIRST)).toBe("not begun");
});

test("shows the reader's step in a lesson that was begun", () => {
  read(FIRST, ["a", "b"]);
  expect(wordsOf(FIRST)).toBe("at step 2 of 3");
});

test("a lesson is finished after every step was read, whatever the current step is", () => {
  read(FIRST, ["a", "c"]);
  expect(wordsOf(FIRST)).toBe("at step 3 of 3");
  read(FIRST, ["a", "c", "b"]);
  expect(wordsOf(FIRST)).toBe("finished");
  read(FIRST, ["a", "b", "c"], "a");
  expect(wordsOf(FIRST)).toBe("finished");
});

test("suggests the first lesson, then the next one, then one that was begun", () => {
  const all = [FIRST, SECOND];
  expect(suggestion(all)).toEqual({ lesson: FIRST, kind: "start" });
  read(FIRST, ["a", "b", "c"]);
  expect(suggestion(all)).toEqual({ lesson: SECOND, kind: "next" });
  read(FIRST, ["a", "b"]);
  expect(suggestion(all)).toEqual({ lesson: FIRST, kind: "continue" });
  read(FIRST, ["a", "b", "c"]);
  read(SECOND, ["a", "b"]);
  expect(suggestion(all)).toBeNull();
});

test("never suggests a lesson outside the course", () => {
  expect(suggestion([head("own", ["a"], false)])).toBeNull();
});

test("orders lessons part by part and suggests none after the last", () => {
  const inOrder = PARTS.flatMap(({ id }) => lessonsOf(id));
  expect(inOrder).toEqual(LESSONS.slice(0, inOrder.length));
  const next = inOrder.map(({ id }) => lessonAfter(id)?.id);
  expect(next).toEqual([...inOrder.slice(1).map(({ id }) => id), undefined]);
  expect(lessonAfter("nobody")).toBeNull();
});

test("lists only existing prerequisites of a lesson", () => {
  const [lesson] = LESSONS;
  if (!lesson) throw new Error("there are lessons");
  const course = {
    part: "basics",
    place: 2,
    audience: "",
    goals: ["read"],
  } satisfies Partial<Course>;
  expect(basesOf({ ...course, builds_on: [lesson.id, "nobody"] })).toEqual([lesson]);
});
