import { expect, test } from "vitest";
import { folds, readFolds } from "./folds";

test("folds are read as they were kept", () => {
  const kept = { stack: true, events: false };
  expect(readFolds(folds(kept))).toEqual(kept);
});

test("what cannot be read folds nothing", () => {
  expect(readFolds(null)).toEqual({});
  expect(readFolds("-all +stack {}")).toEqual({ stack: false });
});
