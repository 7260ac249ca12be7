import { expect, test } from "vitest";
import type { PairMoment } from "../../app/pair/pair";
import { barOf, differencesOf, ratioOf, sorted } from "./differences";

type Counted = readonly (readonly [string, number])[];

const momentOf = (a: Counted, b: Counted): PairMoment => {
  const position = { step: 0, time_ns: 0, ended: false };
  return { a: { position, counters: a }, b: { position, counters: b } };
};

const from = momentOf([["pgfault", 100]], [["pgfault", 90]]);
const to = momentOf(
  [
    ["pgfault", 110],
    ["allocstall", 0],
    ["old", 3],
  ],
  [
    ["pgfault", 110],
    ["allocstall", 4],
  ],
);

test("gives the growth of both sides between two steps", () => {
  expect(differencesOf(from, to)).toEqual([
    { name: "pgfault", a: 10, b: 20, by: 10 },
    { name: "allocstall", a: 0, b: 4, by: 4 },
    { name: "old", a: 3, b: 0, by: -3 },
  ]);
  expect(differencesOf(null, to)[0]).toEqual({ name: "pgfault", a: 110, b: 110, by: 0 });
});

test("sorts by the size of the difference and by the ratio", () => {
  const rows = differencesOf(from, to);
  expect(sorted(rows, "by", true).map(({ name }) => name)).toEqual([
    "pgfault",
    "allocstall",
    "old",
  ]);
  expect(sorted(rows, "ratio", false).map(({ name }) => name)[0]).toBe("pgfault");
  expect(sorted(rows, "name", false).map(({ name }) => name)).toEqual([
    "allocstall",
    "old",
    "pgfault",
  ]);
});

test("draws a bar on a scale from an eighth to eight times", () => {
  const row = (a: number, b: number) => ({ name: "x", a, b, by: b - a });
  expect(barOf(row(1, 2))).toBeCloseTo(1 / 3);
  expect(barOf(row(8, 1))).toBe(-1);
  expect(barOf(row(0, 5))).toBe(1);
  expect(barOf(row(5, 0))).toBe(-1);
  expect(barOf(row(0, 0))).toBe(0);
  expect(ratioOf(row(0, 0))).toBe(1);
});
