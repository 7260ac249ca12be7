import { expect, test } from "vitest";
import { leftOf } from "./left";

const runs = (share: number, left_s: number | null) => ({ doing: "runs", share, left_s }) as const;
const waits = { doing: "waits", share: null, left_s: null } as const;
const done = { doing: "done", share: 1, left_s: null } as const;

test("alone it takes what it takes; who waits takes as long as a whole one", () => {
  expect(leftOf([runs(0.5, 30)], 1)).toBe(30);
  expect(leftOf([done, runs(0.5, 30), waits], 1)).toBe(90);
  expect(leftOf([runs(0.5, 30), runs(0.5, 30), waits, waits], 2)).toBe(90);
});

test("side by side the longest is waited for", () => {
  expect(leftOf([runs(0.9, 5), runs(0.1, 90)], 2)).toBe(90);
  expect(leftOf([runs(0.9, 5), runs(0.1, 90)], 3)).toBe(90);
});

test("nothing is promised before all that run have shown how fast they go", () => {
  expect(leftOf([runs(0.5, 30), runs(0, null)], 2)).toBeNull();
  expect(leftOf([waits], 1)).toBeNull();
});
