import { expect, test } from "vitest";
import { loadEngine } from "../engine/loaded.test-support";
import { QUESTIONS } from "./questions";

const engine = loadEngine();

test.each(QUESTIONS)("$question", ({ preset }) => {
  expect(engine.open(0, engine.experiment_json(preset)).kind).toBe("opened");
});
