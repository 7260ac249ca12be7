import { expect, test } from "vitest";
import type { Rec, RecordName } from "../../../engine/record";
import { recordOf } from "../../../engine/record.test-support";
import type { MarkTest, Stop, Walk } from "./plan";
import {
  allocFlags,
  loweredWords,
  placesWords,
  takingOf,
  uncountedWords,
  withGaps,
} from "./plan-words";

const mark = (some: Partial<MarkTest>): MarkTest => ({
  step: 1,
  free: 100,
  value: 100,
  mark: 1,
  whole: 50,
  counted: 50,
  lowered_by: 0,
  reserved: 0,
  needs: 50,
  passed: true,
  ...some,
});

const stop = (place: number, some: Partial<Stop> = {}): Stop => ({
  step: 1,
  zone: 0,
  place,
  of: place === 0 ? 0 : 5,
  test: null,
  home: [],
  scanned: 0,
  retest: null,
  orders: [],
  block: null,
  dirty: null,
  take: [],
  verdict: "refused",
  ...some,
});

const walk = (stops: Stop[], isWhole: boolean): Walk => ({
  kind: "walk",
  reason: "fast",
  flags: null,
  stops,
  isWhole,
});

const gaps = (one: Walk) =>
  withGaps(one).map((each) =>
    "zone" in each ? each.place : `${placesWords(each)}${each.isAbove ? " above" : " ahead"}`,
  );

test("names every position of a zonelist once", () => {
  expect(gaps(walk([stop(1), stop(2)], true))).toEqual([1, 2, "Zones 3 to 5 above"]);
  expect(gaps(walk([stop(2), stop(5)], true))).toEqual([
    "Zone 1 above",
    2,
    "Zones 3 and 4 above",
    5,
  ]);
  expect(gaps(walk([stop(3, { verdict: "took" })], false))).toEqual([
    "Zones 1 and 2 above",
    3,
    "Zones 4 and 5 ahead",
  ]);
  // Positions that the walk has not reached are omitted.
  expect(gaps(walk([stop(1, { verdict: "open" })], false))).toEqual([1]);
  expect(gaps(walk([stop(0, { verdict: "dirty" }), stop(2)], true))).toEqual([
    0,
    2,
    "Zones 3 to 5 above",
  ]);
  expect(gaps(walk([stop(0, { verdict: "dirty" }), stop(3)], true))).toEqual([
    "Zone 1 above",
    0,
    3,
    "Zones 4 and 5 above",
  ]);
});

test("names the free pages that do not count", () => {
  expect(uncountedWords(mark({}), 0, 8)).toBe("nothing, because the request has order 0");
  expect(uncountedWords(mark({ value: 93 }), 3, 8)).toBe("2³ − 1 for the request itself");
  expect(uncountedWords(mark({ value: 98 }), 0, 8)).toBe(
    "2⁰ + 1 for the request itself, two more than intended",
  );
  expect(uncountedWords(mark({ value: 77 }), 3, 8)).toBe(
    "2³ − 1 for the request itself, and 16 reserved for high-order atomic requests",
  );
  expect(uncountedWords(mark({ value: 61 }), 0, 8)).toBe("");
});

test("names the reason for a lowered watermark", () => {
  const flags = (lowered_by: number) => loweredWords(mark({ lowered_by, whole: 1008, mark: 0 }));
  expect(flags(4)).toBe("the min watermark (1,008), halved for ALLOC_HIGH");
  expect(flags(6)).toBe(
    "the min watermark (1,008), halved for ALLOC_HIGH and lowered by a quarter for ALLOC_HARDER",
  );
  expect(flags(0)).toBe("the min watermark (1,008) without its boost");
  expect(allocFlags(0b100101)).toEqual(["ALLOC_NO_WATERMARKS", "ALLOC_HIGH", "ALLOC_CPUSET"]);
});

test("describes a refill once, with the number of blocks", () => {
  // `takingOf` reads only their names.
  const record = (name: RecordName) => ({ ...recordOf("OomWait", {}), name }) as Rec;
  const one = ["BlockFound", "Split", "Split", "SplitDone"] as const;
  const refill = (["RefillPcp", ...one, "BlockFound", "SplitDone"] as const).map(record);
  expect(takingOf(refill)).toEqual({ records: refill.slice(0, 5), fetched: 2, halved: 2 });
  const straight = one.map(record);
  expect(takingOf(straight)).toEqual({ records: straight, fetched: 0, halved: 0 });
});
