import { expect, test } from "vitest";
import { folds, readFolds } from "./folds";

test("reads the stored folds", () => {
  const stored = { stack: true, events: false };
  expect(readFolds(folds(stored))).toEqual(stored);
});

test("folds nothing if the stored text is unreadable", () => {
  expect(readFolds(null)).toEqual({});
  expect(readFolds("-all +stack {}")).toEqual({ stack: false });
});
