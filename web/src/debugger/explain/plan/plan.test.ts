// Explained allocations compared with the machine: its zones, its pages and its counters.

import { expect, test } from "vitest";
import { catalog, presetJson, TestBench } from "../../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../../engine/log";
import { kindsNamed, recordsIn } from "../../../engine/record";
import { EVERYTHING } from "../../../log/keeper";
import { PLAN_RECORDS, type Plan, Plans, type Walk } from "./plan";

interface Ran {
  readonly bench: TestBench;
  readonly plans: Plan[];
  /** Allocations in progress at the end of the run. */
  readonly open: Plan[];
  /** Pages allocated, by the log alone. */
  readonly handedOut: number;
}

function run(preset: string, kernel: string, tunables: object = {}): Ran {
  const bench = new TestBench();
  const experiment: Record<string, unknown> = JSON.parse(presetJson(preset));
  const set = { ...(experiment.tunables as object), ...tunables };
  const json = JSON.stringify({ ...experiment, id: "", kernel, tunables: set });
  bench.send({ kind: "open", json, goal: { kind: "start" } });
  bench.send({ kind: "end" });
  const to = bench.frame.view.position.step;
  const filter = { ...EVERYTHING, kinds: kindsNamed(catalog, PLAN_RECORDS) };
  const [plans, done]: [Plans, Plan[]] = [new Plans(), []];
  let handedOut = 0;
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  for (;;) {
    const answer = answerLog(bench.engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    for (const record of recordsIn(answer.rows, catalog)) {
      if (record.name === "mm_page_alloc") handedOut += 1;
      const plan = plans.take(record);
      if (plan) done.push(plan);
    }
    if (answer.isDone) {
      const { tasks } = bench.frame.view;
      const open = tasks.flatMap(({ id }) => plans.inProgress(id) ?? []);
      return { bench, plans: done, open, handedOut };
    }
    act = { kind: "more" };
  }
}

const walksOf = ({ parts }: Plan): Walk[] => parts.filter((part) => part.kind === "walk");

const RUNS = [
  ["first-touch.teach", "3.0"],
  ["first-touch.teach", "6.1"],
  ["mixed-types.teach", "6.1"],
  ["run-out.teach", "6.1"],
  ["anon-hog.teach", "3.0"],
  ["anon-hog.teach", "3.16"],
  ["anon-hog.teach", "6.1"],
  ["dirty-writer.teach", "6.1"],
] as const;

for (const [preset, kernel] of RUNS) {
  test(`${preset} on ${kernel}: explains every allocation completely`, () => {
    const { bench, plans, open, handedOut } = run(preset, kernel);
    const { zones, counters } = bench.frame.view;
    expect(plans.length).toBeGreaterThan(100);
    expect(plans.length).toBe(handedOut);
    for (const plan of plans) {
      const walks = walksOf(plan);
      const last = walks.at(-1)?.stops.at(-1);
      const { pfn = null } = plan.end ?? {};
      if (pfn !== null) {
        expect(last?.verdict).toBe("took");
        const zone = zones[last?.zone ?? -1];
        expect(pfn).toBeGreaterThanOrEqual(zone?.start_pfn ?? Number.POSITIVE_INFINITY);
        expect(pfn).toBeLessThan((zone?.start_pfn ?? 0) + (zone?.spanned ?? 0));
      }
      const stops = walks.flatMap((walk) => walk.stops);
      expect(stops.filter(({ verdict }) => verdict === "open")).toEqual([]);
      expect(stops.filter(({ verdict }) => verdict === "took").length).toBe(pfn === null ? 0 : 1);
      expect(walks[0]?.reason).toBe("fast");
      for (const { test, orders } of stops) {
        if (!test) continue;
        expect(test.counted + test.reserved).toBe(test.needs);
        expect(test.passed).toBe(test.value > test.needs);
        expect(test.value).toBeLessThanOrEqual(test.free);
        expect(test.counted).toBeLessThanOrEqual(test.whole);
        expect(test.counted < test.whole).toBe(test.lowered_by > 0);
        for (const order of orders) expect(order.passed).toBe(order.value > order.needs);
      }
      // Only the slow path reclaims, and only after a walk failed in all zones.
      const isSlow = plan.parts.some((part) => part.kind === "decision");
      expect(isSlow || plan.parts.every((part) => part.kind === "walk")).toBe(true);
    }
    // All of them together reclaimed what the kernel counts as direct reclaim.
    const reclaims = [...plans, ...open].flatMap(({ parts }) =>
      parts.filter((part) => part.kind === "reclaim"),
    );
    const value = (name: string) => counters.find(([other]) => other === name)?.[1] ?? 0;
    const sum = (of: (part: (typeof reclaims)[number]) => number) =>
      reclaims.reduce((pages, part) => pages + of(part), 0);
    expect(reclaims.length).toBe(value("allocstall"));
    expect(sum(({ scanned }) => scanned)).toBe(value("pgscan_direct"));
    expect(sum(({ freed }) => freed ?? 0)).toBeGreaterThanOrEqual(value("pgsteal_direct"));
  }, 60_000);
}

/** Runs with zone_reclaim, by kernel, with its results and the effects of the zonelist cache. */
const HOME = [
  ["dirty-writer.teach", "3.0"],
  ["dirty-writer.teach", "zlcfirst"],
  ["streaming-reader.teach", "3.1"],
  ["streaming-reader.teach", "6.1"],
] as const;

for (const [preset, kernel] of HOME) {
  test(`${preset} on ${kernel} with zone_reclaim: lists its scans at the zone where they happened`, () => {
    const { bench, plans, open } = run(preset, kernel, { "vm.zone_reclaim_mode": "1" });
    const { counters } = bench.frame.view;
    const value = (name: string) => counters.find(([other]) => other === name)?.[1] ?? 0;
    const stops = [...plans, ...open].flatMap(walksOf).flatMap((walk) => walk.stops);
    const scanned = stops.reduce((pages, stop) => pages + stop.scanned, 0);
    expect(scanned).toBe(value("scan_zone_reclaim"));
    expect(scanned).toBeGreaterThan(100);
    const failed = stops.flatMap(({ home }) => home).filter(({ name }) => name === "ZrSome");
    expect(failed.length).toBe(value("zone_reclaim_failed"));
    for (const { test, retest, home, verdict } of stops) {
      const names = home.map(({ name }) => name);
      if (retest) expect(names.some((name) => /^Zr(Some|Success)/.test(name))).toBe(true);
      if (retest?.passed === false) expect(names).toContain("ZrStillLow");
      if (verdict === "full") expect(names).toContain("ZlcSkip");
      if (names.some((name) => name.startsWith("Zr"))) expect(test?.passed).toBe(false);
    }
  }, 60_000);
}

test("the terms of a watermark check equal the numbers of the zone at that step", () => {
  for (const kernel of ["3.0", "3.16", "6.1"]) {
    const { bench, plans } = run("anon-hog.teach", kernel);
    const stops = plans
      .flatMap(walksOf)
      .flatMap((walk) => walk.stops)
      .filter(({ test }) => test);
    const some = [
      ...stops.filter(({ verdict }) => verdict === "refused").filter((_, i) => i % 40 === 0),
      ...stops.filter(({ test }) => test?.lowered_by),
      ...stops.filter((_, i) => i % 400 === 0),
    ].slice(0, 60);
    expect(some.length).toBeGreaterThan(20);
    for (const { test, zone } of some) {
      if (!test) continue;
      bench.send({ kind: "go", goal: { kind: "step", step: test.step } });
      const there = bench.frame.view.zones[zone];
      const marks = [there?.min, there?.low, there?.high];
      expect(test.free).toBe(there?.free);
      expect(test.whole).toBe(marks[test.mark]);
      expect([0, ...(there?.protection ?? [])]).toContain(test.reserved);
      const { compare } = bench.frame.view.why ?? {};
      expect([compare?.value, compare?.against, compare?.passed]).toEqual([
        test.value,
        test.needs,
        test.passed,
      ]);
    }
  }
}, 60_000);

test("explains an allocation in progress up to the current step", () => {
  const { bench, plans } = run("anon-hog.teach", "6.1");
  const slow = plans.find(({ parts }) => parts.some(({ kind }) => kind === "reclaim"));
  const reclaim = slow?.parts.find((part) => part.kind === "reclaim");
  const at = (reclaim?.step ?? 0) + 20;
  const act: LogAct = {
    kind: "begin",
    from: (slow?.step ?? 1) - 1,
    to: at,
    filter: { ...EVERYTHING, task: slow?.task ?? 0, kinds: kindsNamed(catalog, PLAN_RECORDS) },
  };
  const answer = answerLog(bench.engine, 0, { kind: "log", act });
  const following = new Plans();
  for (const record of recordsIn(answer?.rows ?? new Float64Array(), catalog)) {
    following.take(record);
  }
  const open = following.inProgress(slow?.task ?? 0);
  expect(open?.end).toBe(null);
  expect(open?.asked).toEqual(slow?.asked);
  const parts = slow?.parts.slice(0, open?.parts.length) ?? [];
  expect(open?.parts.slice(0, -1)).toEqual(parts.slice(0, -1));
  expect(open?.parts.at(-1)).toMatchObject({ kind: "reclaim", end: null, freed: null });
});

test("describes the request as the allocator sees it", () => {
  const { bench, plans } = run("mixed-types.teach", "6.1");
  const { info } = bench.events.findLast((event) => event.kind === "opened") ?? {};
  const orders = new Set(plans.map(({ asked }) => asked.order));
  expect(orders.size).toBeGreaterThan(1);
  for (const plan of plans.filter((_, i) => i % 50 === 0)) {
    // Right after the first decision, the route on the page agrees.
    bench.send({ kind: "go", goal: { kind: "step", step: plan.step } });
    const { route } = bench.frame.view;
    expect(route?.task).toBe(plan.task);
    expect(route?.order).toBe(plan.asked.order);
    expect(route?.node).toBe(plan.asked.node);
    const highest = Math.max(
      ...(route?.stops ?? []).flatMap(({ zone, state }) => {
        const type = info?.zone_types.indexOf(zone.split("/")[1] ?? "") ?? -1;
        return state === "not_allowed" ? [] : [type];
      }),
    );
    expect(highest).toBeLessThanOrEqual(plan.asked.high);
  }
});
