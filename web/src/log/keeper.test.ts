// Answers that arrive late: the log shows only the last request.

import { expect, test } from "vitest";
import { type Deferred, deferred } from "../engine/deferred.test-support";
import type { LogAct, LogAnswer } from "../engine/log";
import { recordOf, rowsOf } from "../engine/record.test-support";
import { EVERYTHING, LogKeeper } from "./keeper";

/** A log whose answers arrive when a test sends them. */
class Late {
  readonly asked: { readonly act: LogAct; readonly answer: Deferred<LogAnswer> }[] = [];
  readonly keeper = new LogKeeper((act) => {
    const answer = deferred<LogAnswer>();
    this.asked.push({ act, answer });
    return answer.promise;
  });
  readonly shown = new Set<number>();

  constructor() {
    this.keeper.store.subscribe(({ rows }) => {
      if (rows.count > 0) this.shown.add(rows.step(0));
    });
  }

  /** Answers the `n`th request with one event. */
  answer(n: number, step: number) {
    const { numbers: rows } = rowsOf([recordOf("OomWait", {}, { step })]);
    this.asked[n]?.answer.resolve({ kind: "log", rows, at: step, isDone: true, isWhole: true });
  }

  async isAsked(times: number) {
    await expect.poll(() => this.asked.length).toBe(times);
  }
}

const filter = (task: number) => ({ ...EVERYTHING, task });

test("never shows a late answer to an earlier filter", async () => {
  const log = new Late();
  const first = log.keeper.begin(100, filter(1));
  await log.isAsked(1);
  const second = log.keeper.begin(100, filter(2));
  log.answer(0, 11);
  await first;
  await log.isAsked(2);
  expect(log.asked[1]?.act).toMatchObject({ filter: filter(2) });
  expect(log.keeper.store.getState().isBusy).toBe(true);
  log.answer(1, 22);
  await second;
  expect([...log.shown]).toEqual([22]);
  expect(log.keeper.store.getState()).toMatchObject({ isBusy: false, failure: null });
});

test("never runs the second of three filters in a row", async () => {
  const log = new Late();
  void log.keeper.begin(100, filter(1));
  await log.isAsked(1);
  void log.keeper.begin(100, filter(2));
  const last = log.keeper.begin(100, filter(3));
  log.asked[0]?.answer.reject(new Error("another log was opened"));
  await log.isAsked(2);
  log.answer(1, 33);
  await last;
  expect(log.asked[1]?.act).toMatchObject({ filter: filter(3) });
  expect([...log.shown]).toEqual([33]);
  expect(log.keeper.store.getState().failure).toBeNull();
});

test("drops the pending answer after a stop and can start again", async () => {
  const log = new Late();
  const stopped = log.keeper.begin(100, filter(1));
  await log.isAsked(1);
  log.keeper.stop();
  log.answer(0, 11);
  await stopped;
  expect(log.shown.size).toBe(0);
  const again = log.keeper.begin(100, filter(2));
  await log.isAsked(2);
  log.answer(1, 22);
  await again;
  expect([...log.shown]).toEqual([22]);
});
