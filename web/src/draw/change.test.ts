import { expect, test } from "vitest";
import { AXIS_ENDS, changeBar, changeWords } from "./change";

test("a bar grows with the logarithm of the change and points left for a decrease", () => {
  expect(changeBar(10, 10 * AXIS_ENDS, 100)).toEqual({ x: 50, width: 50, beyond: null });
  expect(changeBar(80, 10, 100)).toEqual({ x: 0, width: 50, beyond: null });
  const twice = changeBar(10, 20, 120);
  const half = changeBar(20, 10, 120);
  expect(twice?.width).toBeCloseTo(20);
  expect(half?.width).toBeCloseTo(20);
  expect(half?.x).toBeCloseTo(40);
});

test("marks a bar beyond the axis, and gives no bar for a missing value", () => {
  expect(changeBar(1, 100, 100)).toEqual({ x: 50, width: 50, beyond: "right" });
  expect(changeBar(5, 0, 100)).toEqual({ x: 0, width: 50, beyond: "left" });
  expect(changeBar(5, 5, 100)?.width).toBe(0);
  expect(changeBar(1000, 1001, 100)?.width).toBe(1.5);
  for (const [a, b] of [
    [0, 5],
    [null, 5],
    [5, null],
  ] as const) {
    expect(changeBar(a, b, 100)).toBeNull();
  }
});

test("describes a change in words", () => {
  expect(changeWords(100, 61)).toBe("\u221239\u202f%");
  expect(changeWords(2451.57, 2257.48)).toBe("\u22127.9\u202f%");
  expect(changeWords(100, 474)).toBe("+374\u202f%");
  expect(changeWords(23_380_832, 23_380_488)).toBe("under 0.1\u202f%");
  expect(changeWords(1, 13)).toBe("×\u202f13.0");
  expect(changeWords(0, 5)).toBe("from 0");
  expect(changeWords(5, 0)).toBe("to 0");
  expect(changeWords(0, 0)).toBe("same");
  expect(changeWords(null, 5)).toBe("–");
});
