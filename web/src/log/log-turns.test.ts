// Several logs share one engine: each reads what it would read alone.

import { expect, test } from "vitest";
import { TestBench } from "../engine/loaded.test-support";
import { answerLog, type LogAct, type LogAnswer } from "../engine/log";
import { type AskLog, LogTurns } from "../engine/log-turns";
import { EVERYTHING } from "./keeper";

const STEPS = 3_000_000;

function ran(): AskLog {
  const bench = new TestBench();
  bench.openPreset("streaming-reader.teach");
  bench.send({ kind: "go", goal: { kind: "step", step: STEPS } });
  return async (act: LogAct): Promise<LogAnswer> => {
    const answer = answerLog(bench.engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    return answer;
  };
}

async function* slices(ask: AskLog, from: number, pages: [number, number] | null) {
  let act: LogAct = { kind: "begin", from, to: STEPS, filter: { ...EVERYTHING, pages } };
  for (;;) {
    const { rows, isDone } = await ask(act);
    yield [...rows];
    if (isDone) return;
    act = { kind: "more" };
  }
}

async function whole(ask: AskLog, from: number, pages: [number, number] | null) {
  const parts: number[][] = [];
  for await (const rows of slices(ask, from, pages)) parts.push(rows);
  return parts.flat();
}

test("two readers that take turns get the same results as alone", async () => {
  const ask = ran();
  const alone = [await whole(ask, 0, null), await whole(ask, 40_000, [0x0, 0xfff])];
  const turns = new LogTurns(ask);
  const readers = [
    slices(turns.reader(), 0, null),
    slices(turns.reader(), 40_000, [0x0, 0xfff]),
  ] as const;
  const found: number[][][] = [[], []];
  const isOver = [false, false];
  while (isOver.includes(false)) {
    for (const [i, reader] of readers.entries()) {
      const { done, value } = await reader.next();
      if (done) isOver[i] = true;
      else found[i]?.push(value);
    }
  }
  // Each was interrupted more than once.
  expect(found.every((parts) => parts.length > 2)).toBe(true);
  expect(found[0]?.flat()).toEqual(alone[0]);
  expect(found[1]?.flat()).toEqual(alone[1]);
});

test("closing one log leaves the others open", async () => {
  const asked: string[] = [];
  const turns = new LogTurns(async ({ kind }) => {
    asked.push(kind);
    return { kind: "log", at: 5, isDone: false, isWhole: true, rows: new Float64Array() };
  });
  const [one, two] = [turns.reader(), turns.reader()];
  await one({ kind: "begin", from: 0, to: 10, filter: EVERYTHING });
  await two({ kind: "begin", from: 0, to: 10, filter: EVERYTHING });
  await one({ kind: "end" });
  await two({ kind: "more" });
  await one({ kind: "more" });
  await one({ kind: "end" });
  expect(asked).toEqual(["begin", "begin", "more", "begin", "end"]);
});
