import { expect, test } from "vitest";
import type { Moment } from "../story/telling";
import { momentNear } from "./events";
import { scaleOf } from "./frame";
import { pastMoments } from "./ticker/past-moments";

const at = (time_ns: number): Moment => ({
  kind: "kswapd woken",
  step: time_ns,
  time_ns,
  before: 0,
  sentence: [],
});
const moments = [10, 400, 405, 900].map(at);
/** 1,000 ns on 1,000 px. */
const scale = scaleOf(0, 1000, 0, 1000);

test("a press selects the nearest event if it is close enough", () => {
  expect(momentNear(moments, 12, scale)?.step).toBe(10);
  expect(momentNear(moments, 404, scale)?.step).toBe(405);
  expect(momentNear(moments, 401, scale)?.step).toBe(400);
  expect(momentNear(moments, 905, scale)?.step).toBe(900);
  expect(momentNear(moments, 600, scale)).toBeNull();
  expect(momentNear([], 600, scale)).toBeNull();
});

test("returns the events up to a step, newest first, up to the requested number", () => {
  expect(pastMoments(moments, 405, 2).map(({ step }) => step)).toEqual([405, 400]);
  expect(pastMoments(moments, 9, 5)).toEqual([]);
  expect(pastMoments(moments, 5000, 9)).toHaveLength(4);
});
