import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { experimentText, type LessonData, readLesson } from "../lessons/schema";
import { greetingText } from "../pages/home/greeting";
import { FIRST_SEED } from "../pages/lesson/desk";
import { presetsOf } from "./catalog";
import { catalog, loadEngine, packed, presetJson, readNow } from "./loaded.test-support";
import { byText, findPacked, type Reader, Readings } from "./reading";

const found = byText(packed);
const none = byText([]);
const reader: Reader = await import("./pkg/mmscope_open");

/** Every lesson. */
function* lessons(): Generator<readonly [string, LessonData]> {
  for (const entry of readdirSync("lessons", { withFileTypes: true })) {
    // Beside the lessons lie the figures they show.
    if (!existsSync(`lessons/${entry.name}/lesson.json`)) continue;
    const json = (file: string): unknown =>
      JSON.parse(readFileSync(`lessons/${entry.name}/${file}.json`, "utf8"));
    const lesson = readLesson({
      head: json("lesson"),
      experiments: json("experiments"),
      questions: json("questions"),
    });
    yield [entry.name, lesson];
  }
}

/** The experiments of a lesson's scenes, by scene. */
const sceneTexts = (lesson: LessonData) =>
  Object.entries(lesson.scenes).map(
    ([name, scene]) => [name, experimentText(lesson, { ...scene, seed: FIRST_SEED })] as const,
  );

/** What a page opens by itself, on a first visit. */
function* firstTexts(): Generator<readonly [string, string]> {
  const presets = presetsOf(catalog);
  yield* Object.entries(presets);
  yield ["the first page", greetingText(presets) ?? ""];
  for (const [id, lesson] of lessons()) {
    for (const [name, text] of sceneTexts(lesson)) yield [`${id}: ${name}`, text];
  }
}

test.each([...firstTexts()])("%s is packed as it would be read", (_, text) => {
  expect(findPacked(found, text)).toEqual(readNow(text));
});

test("a text is found however it is written, and no other is", () => {
  const text = presetJson("run-out.teach");
  const { seed, ...rest } = JSON.parse(text);
  expect(findPacked(found, JSON.stringify({ seed, ...rest }, null, 2))).not.toBeNull();
  expect(findPacked(found, JSON.stringify({ ...rest, seed: seed + 1 }))).toBeNull();
  expect(findPacked(found, "{")).toBeNull();
});

test("what is packed is read at once and asks for no module", () => {
  const load = vi.fn(() => Promise.resolve(reader));
  const readings = new Readings(found, load);
  expect(readings.read(presetJson("run-out.teach"))).toMatchObject({ kind: "checked" });
  expect(load).not.toHaveBeenCalled();
});

test("the module is loaded once, by whoever is first, and after a failure again", async () => {
  const load = vi.fn(() => Promise.resolve(reader));
  load.mockRejectedValueOnce(new Error("Failed to fetch"));
  const readings = new Readings(none, load);
  await expect(readings.read("{}")).rejects.toThrow("Failed to fetch");
  readings.prepare();
  expect(await readings.read("{}")).toEqual(readNow("{}"));
  expect(readings.read("{}")).toEqual(readNow("{}"));
  expect(load).toHaveBeenCalledTimes(2);
});

test("a refusal names fields, and the nearest text that can be read", () => {
  const long = JSON.stringify({ ...JSON.parse(presetJson("run-out.teach")), length: "2000000s" });
  const reading = readNow(long);
  if (reading.kind !== "refused") throw new Error("it is too long");
  expect(reading.refusals.map(({ path }) => path)).toEqual(["length"]);
  expect(readNow(reading.nearest ?? "").kind).toBe("checked");
  expect(readNow("{")).toMatchObject({ kind: "refused", nearest: null });
});

test("the engine refuses bytes that are no plan, and keeps what is open", () => {
  const engine = loadEngine();
  const reading = readNow(presetJson("run-out.teach"));
  if (reading.kind !== "checked") throw new Error("a preset can be read");
  engine.open(0, reading.plan);
  const hash = engine.hash(0);
  const changed = reading.plan.map((byte, at) => (at === 100 ? byte ^ 1 : byte));
  for (const wrong of [new Uint8Array(), changed, reading.plan.slice(0, -1)]) {
    expect(() => engine.open(0, wrong)).toThrow("no experiment");
  }
  expect(engine.hash(0)).toBe(hash);
});
