import { expect, test } from "vitest";
import { PAGE_PAIR } from "./page-pair-words";
import type { InGeneration, OnList } from "./page-place";

const listed: OnList = {
  kind: "list",
  owner: "0",
  row: 0,
  place: 0,
  state: 4,
  protection: null,
  isReferenced: false,
  isFirstOut: false,
  isReread: false,
};

const aged: InGeneration = {
  kind: "generation",
  owner: "0",
  place: 0,
  state: 4,
  protection: null,
  seq: 3,
  younger: 3,
  isOldest: true,
  age_ns: 2e9,
  type: 1,
  tier: 0,
};

const words = (place: OnList | InGeneration) => PAGE_PAIR.place(place, String);

test("only the first page of an inactive list is next", () => {
  expect(words(listed)).toContain("reclaim reaches it next on this list");
  expect(words({ ...listed, place: 1 })).toContain("with 1 page of this list before it");
  expect(words({ ...listed, row: 1 })).toContain("with no page of this list before it");
});

test("only the first page of an oldest generation with two younger ones is next", () => {
  expect(words(aged)).toContain("reclaim reaches it next of all file pages");
  const others = [{ younger: 1 }, { isOldest: false }, { isOldest: false, younger: 0 }];
  for (const other of others) {
    expect(words({ ...aged, ...other })).not.toContain("next");
    expect(words({ ...aged, ...other })).toContain("no file page of this generation before it");
  }
  expect(words({ ...aged, type: 0, place: 2 })).toContain("with 2 anonymous pages of this");
});

test("memory.min protects always, memory.low only while other pages can be reclaimed", () => {
  const [min, low] = (["min", "low"] as const).map((reason) =>
    PAGE_PAIR.verdict({ first: "a", reason }, 1, 2),
  );
  expect(min).toContain("memory.min protects all of its pages");
  expect(low).toContain("until nothing else can be reclaimed");
  for (const each of [min, low]) expect(each).toContain("of the whole machine");
});
