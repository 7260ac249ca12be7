// The funnel: every page that a pass took has one outcome, and the sums equal the kernel's counters.

import { expect, test } from "vitest";
import { catalog, presetJson, TestBench } from "../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../engine/log";
import { kindsNamed, type Rec, recordsIn } from "../../engine/record";
import { recordOf } from "../../engine/record.test-support";
import { EVERYTHING } from "../../log/keeper";
import { addsUp, beginsPass, FATES, freedIn, PASS_RECORDS, Passes, putBackIn } from "./funnel";
import { checksOf, FunnelSum } from "./funnel-sum";

/** The records of a run from its start up to a step. */
function* records(bench: TestBench, to: number): Generator<Rec> {
  const filter = { ...EVERYTHING, kinds: kindsNamed(catalog, PASS_RECORDS) };
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  for (;;) {
    const answer = answerLog(bench.engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    yield* recordsIn(answer.rows, catalog);
    if (answer.isDone) return;
    act = { kind: "more" };
  }
}

const RUNS = {
  "3.0": ["first-touch", "streaming-reader", "anon-hog", "dirty-writer"],
  "3.16": ["streaming-reader", "anon-hog", "dirty-writer"],
  "6.1": ["first-touch", "run-out", "streaming-reader", "anon-hog", "dirty-writer"],
};

for (const [kernel, runs] of Object.entries(RUNS)) {
  for (const name of runs) {
    test(`${name} on ${kernel}: parts add up to the total of every pass and to the counters`, () => {
      const bench = new TestBench();
      const preset: Record<string, unknown> = JSON.parse(presetJson(`${name}.teach`));
      const json = JSON.stringify({ ...preset, id: "", kernel });
      bench.send({ kind: "open", json, goal: { kind: "start" } });
      bench.send({ kind: "end" });
      const { step, ended } = bench.frame.view.position;
      expect(ended).toBe(true);
      const sum = new FunnelSum();
      const passes = new Passes();
      let done = 0;
      for (const record of records(bench, step)) {
        sum.take(record);
        const pass = passes.take(record);
        if (pass && !addsUp(pass)) throw new Error(JSON.stringify(pass));
        if (record.name === "BatchDone") {
          done += 1;
          expect(pass?.done?.reclaimed).toBe(record.values.freed);
        }
      }
      expect(addsUp(sum.all)).toBe(true);
      for (const check of checksOf(sum, bench.frame.view)) {
        expect(check).toMatchObject({ holds: true });
      }
      // A run without reclaim would test nothing.
      const scanned = bench.frame.view.counters.some(([counter]) => counter.startsWith("pgscan_"));
      expect(done > 0 || !scanned).toBe(true);
    }, 60_000);
  }
}

test("sums are correct in the middle of a run while batches are in progress", () => {
  const bench = new TestBench();
  bench.openPreset("anon-hog.teach");
  bench.send({ kind: "end" });
  const last = bench.frame.view.position.step;
  const sum = new FunnelSum();
  let inHand = 0;
  let at = 0;
  // Some steps lie within a batch: those right after a decision about a page.
  const moments = [...records(bench, last)]
    .filter(({ name }) => name === "RefsKeep" || name === "LadderFree" || name === "BatchDone")
    .filter((_, i) => i % 997 === 0)
    .map(({ step }) => step);
  const all = [...records(bench, last)];
  for (const moment of moments) {
    for (; all[at] && (all[at]?.step ?? 0) <= moment; at += 1) sum.take(all[at] as Rec);
    bench.send({ kind: "go", goal: { kind: "step", step: moment } });
    if (sum.all.ahead > 0) inHand += 1;
    expect(checksOf(sum, bench.frame.view).map(({ holds }) => holds)).toEqual([true, true]);
    expect(addsUp(sum.all)).toBe(true);
  }
  expect(moments.length).toBeGreaterThan(5);
  expect(inHand).toBeGreaterThan(0);
});

// ---- invented passes

/** Pseudo-random numbers, the same each time. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

const ENDINGS = PASS_RECORDS.filter((name) => /^[A-Z]/.test(name) && name !== "BatchDone");

const isolated = (taken: number, skipped: number, lru: number) =>
  recordOf("mm_vmscan_lru_isolate", {
    order: 0,
    nr_requested: 32,
    nr_scanned: taken + skipped,
    nr_skipped: skipped,
    nr_taken: taken,
    lru,
    both: false,
    contig_taken: 0,
    contig_dirty: 0,
    contig_failed: 0,
  });

const batchDone = (taken: number, freed: number, put_back: number) =>
  recordOf("BatchDone", { taken, freed, put_back, lists: 0, lru: 0, pages: [] });

/** The report at the end of a pass. */
const SHRUNK = {
  ...{ nid: 0, zid: 0, nr_scanned: 32, nr_reclaimed: 0, nr_dirty: 0, nr_writeback: 0 },
  ...{ nr_immediate: 0, nr_activate: 0, nr_ref_keep: 0, priority: 12, file: false, kswapd: false },
  sync: false,
};

function madeUp(seed: number): { records: Rec[]; taken: number; freed: number } {
  const random = numbers(seed);
  const below = (most: number) => Math.floor((random.next().value ?? 0) * most);
  const out: Rec[] = [];
  let step = 0;
  const put = (task: number, record: Rec) => {
    step += 1;
    out.push({ ...record, step, time_ns: step * 10, task });
  };
  let [taken, freed] = [0, 0];
  // The passes of two tasks interleave; a third task shrinks an active list, which is not a pass.
  const hands = [1, 2].map((task) => ({ task, left: 0, batch: 0, freed: 0, kept: 0 }));
  for (let i = 0; i < 400; i += 1) {
    const hand = hands[below(2)];
    if (!hand) continue;
    if (hand.batch === 0) {
      const skipped = below(4);
      Object.assign(hand, { batch: 1 + below(32), freed: 0, kept: 0 });
      hand.left = hand.batch;
      taken += hand.batch;
      put(hand.task, isolated(hand.batch, skipped, 2 * below(2)));
    } else if (hand.left > 0) {
      hand.left -= 1;
      const ending = ENDINGS[below(ENDINGS.length + 1)];
      const isFreed = ending === undefined || ending === "LadderFree";
      if (isFreed) [hand.freed, freed] = [hand.freed + 1, freed + 1];
      else hand.kept += 1;
      // A page whose owner has exited is freed without a decision.
      if (ending) put(hand.task, { ...recordOf("LadderFree", { page: 7 }), name: ending } as Rec);
    } else {
      put(hand.task, batchDone(hand.batch, hand.freed, hand.kept));
      put(hand.task, recordOf("mm_vmscan_lru_shrink_inactive", SHRUNK));
      hand.batch = 0;
    }
    if (below(5) === 0) put(3, isolated(20, 0, 1));
    if (below(5) === 0) put(3, recordOf("LadderFree", { page: 9 }));
  }
  for (const { task, left, batch, freed: own, kept } of hands) {
    if (batch > 0) put(task, batchDone(batch, own + left, kept));
    freed += left;
  }
  return { records: out, taken, freed };
}

test("each page has one outcome, in any order of tasks and outcomes", () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const made = madeUp(seed);
    const sum = new FunnelSum();
    const passes = new Passes();
    for (const record of made.records) {
      sum.take(record);
      const pass = passes.take(record);
      if (pass) expect(addsUp(pass)).toBe(true);
      if (beginsPass(record)) expect(pass?.ahead).toBe(record.values.nr_taken);
    }
    const { all } = sum;
    expect(all.taken).toBe(made.taken);
    expect(freedIn(all)).toBe(made.freed);
    expect(putBackIn(all)).toBe(made.taken - made.freed);
    expect(all.ahead).toBe(0);
    expect(FATES.reduce((pages, fate) => pages + all.fates[fate], 0)).toBe(made.taken);
  }
});

test("adding records to a copy of a sum does not change the original", () => {
  const { records: some } = madeUp(5);
  const sum = new FunnelSum();
  for (const record of some.slice(0, 200)) sum.take(record);
  const copy = sum.copy();
  const then = JSON.stringify(sum.by);
  for (const record of some.slice(200)) copy.take(record);
  expect(JSON.stringify(sum.by)).toBe(then);
  for (const record of some.slice(200)) sum.take(record);
  expect(sum.by).toEqual(copy.by);
});

test("a pass does not add up if its report differs from its records", () => {
  const { records: some } = madeUp(3);
  const at = some.findIndex(({ name }) => name === "BatchDone");
  const lying = some.map((record, i): Rec => {
    if (i !== at || record.name !== "BatchDone") return record;
    return { ...record, values: { ...record.values, freed: record.values.freed + 1 } };
  });
  const passes = new Passes();
  const wrong = lying.map((record) => passes.take(record)).filter((pass) => pass && !addsUp(pass));
  expect(wrong.length).toBeGreaterThan(0);
});
