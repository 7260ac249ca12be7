import { expect, test } from "vitest";
import { fitOf } from "./fit";

test.each([
  [1440, 16, "wide", 1],
  [1280, 16, "close", 1],
  [1024, 16, "narrow", 1],
  [768, 16, "narrow", 1],
  [390, 16, "phone", 1],
  [1440, 32, "narrow", 2],
  [1440, 20, "narrow", 1.25],
  [1440, 12, "wide", 1],
  [390, 32, "phone", 390 / 320],
  [300, 32, "phone", 1],
] as const)("%i px with text of %i px is %s, enlarged by %f", (width, text_px, look, text) => {
  expect(fitOf(width, text_px)).toMatchObject({ look, text, hasTouch: look === "phone" });
});

test("fingers get larger targets on any width", () => {
  expect(fitOf(1024, 16, true)).toMatchObject({ look: "narrow", hasTouch: true });
});
