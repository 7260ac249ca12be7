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

test.each([
  [1920, 16, "close", 1.5],
  [1440, 16, "close", 1.5],
  [1920, 20, "close", 1.875],
])(
  "for a projector, %i px with text of %i px is %s, enlarged by %f",
  (width, text_px, look, text) => {
    expect(fitOf(width, text_px, { isProjected: true })).toMatchObject({
      look,
      text,
      isProjector: true,
    });
  },
);

test("enlarges less on a low projector screen so that the machine has room", () => {
  const low = { isProjected: true, height_px: 720 };
  expect(fitOf(1280, 16, low)).toMatchObject({ text: 1.25, width_px: 1024, isProjector: true });
  expect(fitOf(1440, 16, { ...low, height_px: 900 })).toMatchObject({ text: 1.5 });
  // Content that is not projected keeps its usual layout.
  expect(fitOf(1440, 16, { isProjected: true }).unprojected).toEqual({ look: "wide", text: 1 });
});

test("does not change a window that is too narrow for projection", () => {
  expect(fitOf(1000, 16, { isProjected: true })).toEqual(fitOf(1000, 16));
});

test("enlarges targets for touch at any width", () => {
  expect(fitOf(1024, 16, { isCoarse: true })).toMatchObject({ look: "narrow", hasTouch: true });
});
