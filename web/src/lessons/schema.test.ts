// How the knobs of a lesson change an experiment.

import { expect, test } from "vitest";
import { experimentText, type Knob, type LessonData, type Setting } from "./schema";

const knob = (turns: string): Knob => ({ turns, word: turns, names: {} });

const lesson = {
  knobs: {
    kernel: knob("kernel"),
    all: knob("patches"),
    first: knob("patch one"),
    second: knob("patch two"),
    holes: knob("blank every"),
    place: knob("blank where"),
  },
  experiments: {
    machine: "small",
    experiments: {
      run: { title: "A run", kernel: "5.15" },
      filled: {
        title: "Costs $5",
        blanks: { every: "4", where: "here" },
        workload: { does: [{ every: "$every" }, "$where", { every: 7 }] },
      },
    },
  },
} as unknown as LessonData;

const made = (set: Setting, experiment = "run") =>
  JSON.parse(experimentText(lesson, { experiment, set, seed: 1 }));

test("most knobs add one patch, and one knob removes or keeps all of them", () => {
  expect(made({ first: "in", second: "out" }).patches).toEqual(["one"]);
  expect(made({ first: "in", second: "in" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "in", second: "in", all: "kept" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "in", all: "none" }).patches).toEqual([]);
  expect(made({ all: "one two" }).patches).toEqual(["one", "two"]);
  expect(made({ first: "out" })).not.toHaveProperty("patches");
});

test("knobs fill blanks with defaults and convert numeric text to numbers", () => {
  const does = (set: Setting) => made(set, "filled").workload.does;
  expect(does({})).toEqual([{ every: 4 }, "here", { every: 7 }]);
  expect(does({ holes: "16", place: "there" })).toEqual([{ every: 16 }, "there", { every: 7 }]);
  expect(made({ holes: "16" }, "filled")).not.toHaveProperty("blanks");
  expect(made({ holes: "16" }, "filled").title).toBe("Costs $5");
});
