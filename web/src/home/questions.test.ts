import { expect, test } from "vitest";
import { loadEngine, presetJson } from "../engine/loaded.test-support";
import { QUESTIONS } from "./questions";

const engine = loadEngine();

test.each(QUESTIONS)("$question", ({ preset }) => {
  expect(engine.open(0, presetJson(preset)).kind).toBe("opened");
});
