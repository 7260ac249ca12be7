// What the knobs of a lesson make of an experiment.

import { expect, test } from "vitest";
import { experimentText, type Knob, type LessonData, type Setting } from "./schema";

const knob = (turns: string): Knob => ({ turns, word: turns, names: {} });

const lesson = {
  knobs: {
    kernel: knob("kernel"),
    all: knob("patches"),
    first: knob("patch one"),
    second: knob("patch two"),
  },
  experiments: { machine: "small", experiments: { run: { title: "A run", kernel: "5.15" } } },
} as unknown as LessonData;

const made = (set: Setting) =>
  JSON.parse(experimentText(lesson, { experiment: "run", set, seed: 1 }));

test("patches are put in one by one, and all of them taken out or kept by one knob", () => {
  expect(made({ first: "in", second: "out" }).patches).toEqual(["one"]);
  expect(made({ first: "in", second: "in" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "in", second: "in", all: "kept" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "in", all: "none" }).patches).toEqual([]);
  expect(made({ all: "one two" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "out" })).not.toHaveProperty("patches");
});
