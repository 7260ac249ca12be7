// Waits during a storm: each that ended has its cause and the observation of its waker.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadEngine, openText } from "../../engine/loaded.test-support";
import type { Rec } from "../../engine/record";
import { lookingInto, recordsUpTo } from "./looking.test-support";
import { findWait } from "./search";
import { WAIT_RECORDS, type Wait, Waits, wakerOf } from "./wait";

const { machine, experiments } = JSON.parse(
  readFileSync("lessons/stalling-on-nothing/experiments.json", "utf8"),
);
const SERIES = ["throttle-writeback", "throttle-isolated", "throttle-noprogress"];

/** The lesson's storm with this many parts, and its records of waits up to a step. */
function storm(parts: number, to: number) {
  const engine = loadEngine();
  const patches = SERIES.slice(0, parts);
  openText(engine, 0, JSON.stringify({ id: "", machine, ...experiments.storm, patches, seed: 1 }));
  const looking = lookingInto(engine);
  const records = () => recordsUpTo(looking, WAIT_RECORDS, to);
  return { looking, records };
}

/** Every wait that ended, with its values when it was reported. */
function ended(records: readonly Rec[]): Wait[] {
  const waits = new Waits();
  return records.flatMap((record) => {
    waits.take(record);
    const wait = waits.of(record.task);
    return wait?.report === record ? [wait] : [];
  });
}

test("names the waker of a wait that ended early and the timer of every other wait", async () => {
  const { records } = storm(3, 400_000);
  const all = ended(await records());
  const causes = new Set(all.map(({ end }) => end?.name));
  expect([...causes].sort()).toEqual([
    "WaitEndedByIsolation",
    "WaitEndedByProgress",
    "WaitTimedOut",
  ]);
  for (const wait of all) {
    const { wake, end, begun } = wait;
    const waker = wakerOf(wait);
    expect(waker === null).toBe(end?.name === "WaitTimedOut");
    expect(begun.step).toBeLessThan(end?.step ?? 0);
    // The waker records its observation if a task was asleep.
    if (waker !== null) expect(wake?.task).toBe(waker);
    if (wake) expect(wake.step).toBeGreaterThanOrEqual(begun.step);
  }
});

test("with 5.15, a request to wait returns immediately and the timer ends each sleep", async () => {
  const { records } = storm(0, 300_000);
  const all = ended(await records());
  const sentBack = all.filter(({ begun }) => begun.name === "WaitIffCongested");
  expect(sentBack.length).toBeGreaterThan(50);
  expect(sentBack.every(({ end }) => end === null)).toBe(true);
  const slept = all.filter(({ end }) => end !== null);
  expect(slept.length).toBeGreaterThan(5);
  expect(slept.every((wait) => wakerOf(wait) === null)).toBe(true);
});

test("finds the same wait near a step as reading all records", async () => {
  const { looking, records } = storm(3, 170_000);
  const all = await records();
  for (const here of [60_000, 120_000, 170_000]) {
    const waits = new Waits();
    for (const record of all) if (record.step <= here) waits.take(record);
    for (const task of [null, ...new Set(all.map((record) => record.task))]) {
      const found = await findWait(looking, here, task);
      expect(found?.begun.step, `${task} at ${here}`).toBe(waits.of(task)?.begun.step);
      expect(found?.end?.step).toBe(waits.of(task)?.end?.step);
    }
  }
});
