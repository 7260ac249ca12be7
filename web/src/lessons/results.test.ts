import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { loadEngine, measureNow } from "../engine/loaded.test-support";
import type { Progress } from "./progress";
import { firstTry, type Measuring, onceEach, resultOf } from "./results";
import { readLesson } from "./schema";

const read = (lesson: string, name: string): unknown =>
  JSON.parse(readFileSync(`lessons/${lesson}/${name}.json`, "utf8"));
const lessonOf = (id: string, ...more: string[]) =>
  readLesson({
    head: read(id, "lesson"),
    experiments: read(id, "experiments"),
    questions: read(id, "questions"),
    ...Object.fromEntries(more.map((name) => [name, read(id, name)])),
  });
const lesson = lessonOf("watermarks-and-kswapd");

const NOTHING: Progress = {
  given: {},
  settings: {},
  built: {},
  shown: [],
  visited: [],
  current: null,
};
const engine = loadEngine();
let runs = 0;
const measure: Measuring = async (asked) => {
  runs += 1;
  return measureNow(engine, 0, asked);
};
beforeEach(() => {
  runs = 0;
});

test("counts the first prediction for a question", () => {
  const [who] = lesson.questions;
  if (!who) throw new Error("the lesson has a question");
  const given = { "luck/10/1": "yes", "who/500/1": "kswapd", "who/10/1": "player" };
  expect(firstTry({ given }, who)).toEqual({ value: "500", seed: 1, answer: "kswapd" });
  expect(firstTry({ given: {} }, who)).toBeNull();
  expect(firstTry({ given: { "who/nonsense/1": "kswapd" } }, who)).toBeNull();
  expect(firstTry({ given: { "who/10/x": "kswapd" } }, who)).toBeNull();
});

test("counts a first answer only if it was given before the explanation was shown", async () => {
  const given = { "who/10/1": "player", "luck/10/1": "no", "price/700/1": "again" };
  const key = lesson.questions.map(({ id, answers }) => [id, answers.map((each) => each.id)]);
  expect(key.map(([id]) => id)).toEqual(["who", "luck", "price"]);
  const result = await resultOf(lesson, { ...NOTHING, given }, measure);
  expect(result).toEqual({ questions: 3, answered: 3, right: 2, builds: 0, built: 0 });
  const revealed = await resultOf(lesson, { ...NOTHING, given, shown: ["who"] }, measure);
  expect(revealed.right).toBe(1);
});

test("counts a tried build if its runs meet the goal", async () => {
  const built = lessonOf("the-stall-that-was-not-the-disk", "builds");
  const [build] = built.builds;
  if (!build) throw new Error("the lesson has something to build");
  const start = Object.fromEntries(build.parts.map(({ knob, start }) => [knob, start]));
  const all = (set: Record<string, string>, isTried: boolean) =>
    resultOf(built, { ...NOTHING, built: { [build.id]: { set, isTried } } }, measure);
  const sets = build.parts.reduce<Record<string, string>[]>(
    (made, { knob, values }) =>
      made.flatMap((set) => values.map((value) => ({ ...set, [knob]: value }))),
    [{}],
  );
  const met = await Promise.all(sets.map(async (set) => (await all(set, true)).built));
  // Some ways to build it meet the goal, others do not.
  expect(new Set(met)).toEqual(new Set([0, 1]));
  const [good = start] = sets.filter((_, i) => met[i] === 1);
  expect((await all(good, false)).built).toBe(0);
  expect((await all({ ...good, [build.parts[0]?.knob ?? ""]: "nonsense" }, true)).built).toBe(0);
});

test("runs each experiment once for a class with identical answers", async () => {
  const once = onceEach(measure);
  const progress = { ...NOTHING, given: { "who/10/1": "player" } };
  const [first, second] = [
    await resultOf(lesson, progress, once),
    await resultOf(lesson, { ...progress, given: { "who/10/1": "kswapd" } }, once),
  ];
  expect([first.right, second.right, runs]).toEqual([1, 0, 1]);
});
