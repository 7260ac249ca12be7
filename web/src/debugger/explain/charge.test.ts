// Charges in the run of a container that reaches its limit.

import { expect, test } from "vitest";
import { loadEngine, openText, presetJson } from "../../engine/loaded.test-support";
import type { Rec } from "../../engine/record";
import type { GroupView, View } from "../../engine/types";
import { CHARGE_RECORDS, endsCharge, remaindersOf } from "./charge";
import { freedIn } from "./funnel";
import { lookingInto, recordsUpTo } from "./looking.test-support";
import { findCharge } from "./search";

const LAST_STEP = 1_290_000;

function container() {
  const engine = loadEngine();
  openText(engine, 0, presetJson("container-at-its-limit.teach"));
  return lookingInto(engine);
}

const stepOf = (records: readonly Rec[], name: string): number =>
  records.find((record) => record.name === name)?.step ?? 0;

test("explains a charge for which reclaim made room with clean file pages", async () => {
  const looking = container();
  const records = await recordsUpTo(looking, CHARGE_RECORDS, 300_000);
  const end = stepOf(records, "ChargeRoom");
  const charge = await findCharge(looking, end, null);
  expect(charge?.end?.name).toBe("ChargeRoom");
  expect(charge?.reclaims).toBe(1);
  expect(charge?.oom).toBeNull();
  expect(charge && freedIn(charge.pages)).toBeGreaterThan(0);
  // Just before the end it is still in progress.
  const before = await findCharge(looking, end - 1, null);
  expect(before?.begun.step).toBe(charge?.begun.step);
  expect(before?.end).toBeNull();
}, 60_000);

test("explains the charge that ended with an OOM kill from its first attempt on", async () => {
  const looking = container();
  const records = await recordsUpTo(looking, CHARGE_RECORDS, LAST_STEP);
  const kill = records.find(({ name }) => name === "OomKill");
  const charge = await findCharge(looking, kill?.step ?? 0, null);
  expect(charge?.end?.name).toBe("OomKill");
  expect(charge?.oom?.values.usage).toBe(charge?.oom?.values.max);
  // 16 retries, a reclaim before the stocks are drained, and the last one.
  expect(charge?.reclaims).toBeGreaterThanOrEqual(18);
  const earlier = records.filter(
    (record) =>
      record.task === charge?.task && endsCharge(record) && record.step < (kill?.step ?? 0),
  );
  expect(charge?.begun.step).toBeGreaterThan(earlier.at(-1)?.step ?? 0);
}, 60_000);

test("counts each page of a cgroup once, also if it is locked", () => {
  // Page states: 40 inactive anonymous, 20 inactive file, 3 page table pages. 50 pages are locked.
  const states = [0, 0, 40, 0, 20, 0, 0, 0, 0, 3, 0, 0];
  const group = { states, lists: [0, 0, 10, 0, 50], usage: 65, swap: 0, swap_max: null };
  const view = { writeback: { swap_total: 100, swap_used: 0 } };
  const all = remaindersOf(group as unknown as GroupView, view as unknown as View);
  expect(Object.fromEntries(all.map(({ obstacle, pages }) => [obstacle, pages]))).toEqual({
    none: 10,
    locked: 50,
    kernel: 3,
    advance: 2,
  });
});

test("finds no charge before the limit is reached", async () => {
  expect(await findCharge(container(), 1_000, null)).toBeNull();
});
