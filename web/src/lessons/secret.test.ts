import { expect, test } from "vitest";
import { firstBefore, isRevealed } from "./secret";

const steps = [
  { id: "one", title: "One" },
  { id: "two", title: "Two", asks: "who" },
  { id: "three", title: "Three" },
  { id: "four", title: "Four", asks: "why" },
  { id: "five", title: "Five" },
];
const NOTHING = { given: {}, shown: [], visited: [] };
const before = (progress: Partial<typeof NOTHING>, id: string) =>
  firstBefore({ steps }, { ...NOTHING, ...progress }, id)?.id ?? null;

test("shows an explanation after any answer or on request", () => {
  expect(isRevealed(NOTHING, "who")).toBe(false);
  expect(isRevealed({ given: { "whoever/10/1": "a" }, shown: [] }, "who")).toBe(false);
  expect(isRevealed({ given: { "who/500/3": "a" }, shown: [] }, "who")).toBe(true);
  expect(isRevealed({ given: {}, shown: ["who"] }, "who")).toBe(true);
});

test("steps wait for the first unanswered question before them", () => {
  expect(steps.map(({ id }) => before({}, id))).toEqual([null, null, "two", "two", "two"]);
  const given = { given: { "who/10/1": "a" } };
  expect(steps.map(({ id }) => before(given, id))).toEqual([null, null, null, null, "four"]);
});

test("a finished step remains open and opens no other step", () => {
  const read = { visited: ["four"] as never[] };
  expect(steps.map(({ id }) => before(read, id))).toEqual([null, null, "two", null, "two"]);
});
