import { expect, test } from "vitest";
import { presetJson, readNow } from "../../engine/loaded.test-support";
import { QUESTIONS } from "./questions";

test.each(QUESTIONS)("$question", ({ preset }) => {
  expect(readNow(presetJson(preset)).kind).toBe("checked");
});
