// Searches compared with the whole log: a search near a step finds what reading all records finds.

import { expect, test } from "vitest";
import { catalog, TestBench } from "../../engine/loaded.test-support";
import { answerLog, type LogAct } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import { type Rec, recordsIn } from "../../engine/record";
import { EVERYTHING } from "../../log/keeper";
import { type Pass, Passes } from "./funnel";
import { FunnelSum } from "./funnel-sum";
import { type Plan, Plans } from "./plan/plan";
import { findPass, findPlan, RunSums, type SearchContext } from "./search";

const bench = new TestBench();
bench.openPreset("anon-hog.teach");
bench.send({ kind: "end" });
const END = bench.frame.view.position.step;

const ask: AskLog = async (act) => {
  const answer = answerLog(bench.engine, 0, { kind: "log", act });
  if (!answer) throw new Error("no log is open");
  return answer;
};

const looking = (signal = new AbortController().signal): SearchContext => ({
  ask,
  kinds: catalog,
  signal,
  tell: () => {},
});

async function everything(): Promise<Rec[]> {
  const all: Rec[] = [];
  let act: LogAct = {
    kind: "begin",
    from: 0,
    to: END,
    filter: { ...EVERYTHING, decisions: true },
  };
  for (;;) {
    const answer = await ask(act);
    for (const record of recordsIn(answer.rows, catalog)) all.push(record);
    if (answer.isDone) return all;
    act = { kind: "more" };
  }
}

const all = everything();
const MOMENTS = Array.from({ length: 24 }, (_, i) => Math.floor((END * (i + 1)) / 24));

test("finds the last pass before a step", async () => {
  const passes = new Passes();
  let last: Pass | null = null;
  let at = 0;
  const records = await all;
  for (const moment of MOMENTS) {
    for (; (records[at]?.step ?? Number.POSITIVE_INFINITY) <= moment; at += 1) {
      const pass = passes.take(records[at] as Rec);
      // A later record of an earlier pass does not make that pass the last one.
      if (pass && pass.step >= (last?.step ?? 0)) last = pass;
    }
    expect(await findPass(looking(), moment, null)).toEqual(last);
    if (!last) continue;
    expect(await findPass(looking(), moment, last.task)).toEqual(last);
  }
  expect(last).not.toBe(null);
});

test("finds the last allocation before a step and the one in progress", async () => {
  const plans = new Plans();
  let last: Plan | null = null;
  let at = 0;
  let open = 0;
  const records = await all;
  const ofTask = (plan: Plan | null) => JSON.parse(JSON.stringify(plan));
  for (const moment of MOMENTS) {
    for (; (records[at]?.step ?? Number.POSITIVE_INFINITY) <= moment; at += 1) {
      last = plans.take(records[at] as Rec) ?? last;
    }
    const found = await findPlan(looking(), moment, { task: null, isInProgress: false });
    expect(ofTask(found)).toEqual(ofTask(last));
    bench.send({ kind: "go", goal: { kind: "step", step: moment } });
    const { route } = bench.frame.view;
    const now = await findPlan(looking(), moment, {
      task: route?.task ?? null,
      isInProgress: route !== null,
    });
    expect(now?.end === null).toBe(route !== null);
    if (!route) continue;
    open += 1;
    expect(ofTask(now)).toEqual(ofTask(plans.inProgress(route.task)));
    expect(now?.asked).toMatchObject({ order: route.order, node: route.node });
  }
  expect(open).toBeGreaterThan(0);
}, 60_000);

test("adds up a run forwards, backwards and again", async () => {
  const records = await all;
  const sums = new RunSums();
  for (const moment of [...MOMENTS.slice(0, 20), 1000, MOMENTS[11] ?? 0, MOMENTS[11] ?? 0, END]) {
    const whole = new FunnelSum();
    for (const record of records) if (record.step <= moment) whole.take(record);
    const { all: sum } = await sums.at(looking(), moment);
    expect(sum).toEqual(whole.all);
  }
});

test("an aborted search rejects and gives no result", async () => {
  const given = new AbortController();
  given.abort();
  await expect(findPass(looking(given.signal), END, null)).rejects.toThrow();
  await expect(new RunSums().at(looking(given.signal), END)).rejects.toThrow();
});
