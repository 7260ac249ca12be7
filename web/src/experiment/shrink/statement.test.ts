import { expect, test } from "vitest";
import { type Comparison, FIRST, faultsOf, readComparisons, statementOf } from "./statement";

test("writes a statement as the engine reads it", () => {
  const other: Comparison = {
    ...FIRST,
    compare: "=",
    kernel: "5.15",
    patches: ["throttle-writeback", "no-retry-wait"],
  };
  expect(statementOf([FIRST, other])).toBe(
    "allocstall > 0 and allocstall = 0 in 5.15+throttle-writeback+no-retry-wait",
  );
});

test.each([
  ["0", true],
  ["1_000", true],
  ["pgsteal_direct", true],
  ["10 * pgsteal_direct", true],
  ["-1", false],
  ["many pages", false],
  ["10 *", false],
  ["", false],
])("uses %s as the bound: %s", (bound, isRight) => {
  expect(faultsOf({ ...FIRST, bound }).bound === undefined).toBe(isRight);
});

test("refuses a counter that is not a name", () => {
  expect(faultsOf({ ...FIRST, counter: "" }).counter).toBeDefined();
  expect(faultsOf({ ...FIRST, counter: "pg fault" }).counter).toBeDefined();
  expect(faultsOf(FIRST)).toEqual({});
});

test("reads back the stored statement and nothing else", () => {
  expect(readComparisons(JSON.parse(JSON.stringify([FIRST])))).toEqual([FIRST]);
  for (const other of [null, [], "x", [{}], [{ ...FIRST, compare: "~" }]]) {
    expect(readComparisons(other)).toBeNull();
  }
});
