import { describe, expect, test } from "vitest";
import { bareLink, writeLink } from "../link/link";
import { readExperiment } from "./experiment";

const PRESETS = { "a.teach": '{"id":"a.teach","seed":1}' };
const json = (asked: ReturnType<typeof readExperiment>) =>
  asked.ok ? JSON.parse(asked.link.experiment) : asked.fault;

describe("reading an experiment", () => {
  const packed = writeLink(bareLink('{"id":"a.teach","seed":7}'), PRESETS);

  test("reads the id of a ready-made experiment", () => {
    expect(json(readExperiment(" a.teach ", PRESETS))).toEqual({ id: "a.teach", seed: 1 });
  });

  test("reads an object and JSON text", () => {
    expect(json(readExperiment({ seed: 3 }, PRESETS))).toEqual({ seed: 3 });
    expect(json(readExperiment('\n{ "seed": 4 }', PRESETS))).toEqual({ seed: 4 });
  });

  test("reads a link, alone and in a whole address", () => {
    for (const link of [`#/workbench?x=${packed}`, `https://host/mm/#/workbench?x=${packed}`])
      expect(json(readExperiment(link, PRESETS))).toEqual({ id: "a.teach", seed: 7 });
    expect(json(readExperiment("#/workbench?preset=a.teach&theme=dark", PRESETS)).seed).toBe(1);
  });
});

test.each([
  ["b.teach", 'There is no ready-made experiment "b.teach".'],
  ["toString", 'There is no ready-made experiment "toString".'],
  ["", 'There is no ready-made experiment "".'],
  ["#/report", "This link does not lead to the workbench of mmscope."],
  ["#/workbench", "This link contains no experiment."],
  ["#/workbench?x=%", "It contains characters that mmscope never puts into a link."],
])("says why it cannot read %j", (experiment, fault) => {
  expect(json(readExperiment(experiment, PRESETS))).toBe(fault);
});
