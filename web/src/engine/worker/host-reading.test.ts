// Experiments that are being read, and the requests that arrive meanwhile.

import { expect, test, vi } from "vitest";
import { presetJson, readNow, TestBench } from "../loaded.test-support";
import type { Reading } from "../reading";

const FIRST = "first-touch.teach";
const OTHER = "dirty-writer.teach";

/** A host with an open experiment; from then on the test decides when its reader answers. */
function waiting() {
  const bench = new TestBench();
  bench.openPreset(FIRST);
  bench.events.length = 0;
  const answers: { resolve: (reading: Reading) => void; reject: (error: Error) => void }[] = [];
  bench.read = () =>
    new Promise<Reading>((resolve, reject) => {
      answers.push({ resolve, reject });
    });
  return { bench, answers };
}

const opened = (bench: TestBench) =>
  bench.events.flatMap((event) => (event.kind === "opened" ? [event.info.experiment] : []));

async function settled(bench: TestBench) {
  await Promise.resolve();
  await Promise.resolve();
  bench.work();
}

test("keeps the open experiment during a read and applies steps to the new one", async () => {
  const { bench, answers } = waiting();
  bench.openPreset(OTHER);
  bench.send({ kind: "step", how: "into", followed: null });
  expect(bench.events).toEqual([]);
  answers[0]?.resolve(readNow(presetJson(OTHER)));
  await settled(bench);
  expect(opened(bench)).toEqual([OTHER]);
  expect(bench.frame.cause).toBe("stepped");
  expect(bench.frame.view.position.step).toBeGreaterThan(0);
});

test("keeps the requested step during a read and answers later requests there", async () => {
  const { bench, answers } = waiting();
  bench.send({ kind: "open", json: presetJson(OTHER), goal: { kind: "first-refusal" } });
  bench.send({ kind: "ask", id: 3, question: { kind: "hash" } });
  answers[0]?.resolve(readNow(presetJson(OTHER)));
  await settled(bench);
  expect(bench.frame.view.why?.compare?.passed).toBe(false);
  const answer = bench.answers.get(3);
  expect(answer?.kind === "hash" && answer.position).toEqual(bench.frame.view.position);
});

test("opens only the last of two experiments that are being read", async () => {
  const { bench, answers } = waiting();
  bench.openPreset("run-out.teach");
  bench.openPreset(OTHER);
  answers[1]?.resolve(readNow(presetJson(OTHER)));
  answers[0]?.resolve(readNow(presetJson("run-out.teach")));
  await settled(bench);
  expect(opened(bench)).toEqual([OTHER]);
});

test("reports a broken reader and keeps the open experiment", async () => {
  const { bench, answers } = waiting();
  bench.openPreset(OTHER);
  bench.send({ kind: "step", how: "into", followed: null });
  answers[0]?.reject(new Error("unreachable"));
  await vi.waitFor(async () => {
    await settled(bench);
    expect(bench.events.at(0)).toEqual({ kind: "unread", message: "unreachable" });
  }, 20_000);
  expect(bench.frame.cause).toBe("stepped");
});

test("shows nothing during the survey of a run and applies steps where it opens", () => {
  const bench = new TestBench();
  bench.send({ kind: "open", json: presetJson(OTHER), goal: { kind: "start" } }, 0);
  bench.send({ kind: "cells", span: 64 }, 0);
  bench.send({ kind: "tracks", pairs: [0, 0] }, 0);
  bench.send({ kind: "step", how: "into", followed: null }, 0);
  bench.send({ kind: "ask", id: 5, question: { kind: "hash" } }, 0);
  expect(bench.events.filter(({ kind }) => kind === "frame")).toEqual([]);
  bench.work();
  expect(bench.frame.furthest.ended).toBe(true);
  expect(bench.frame.view.position.step).toBe(1);
  const answer = bench.answers.get(5);
  expect(answer?.kind === "hash" && answer.position.step).toBe(1);
});

test("queues a question and drops a step before an experiment is open", async () => {
  const bench = new TestBench();
  bench.send({ kind: "ask", id: 1, question: { kind: "hash" } });
  bench.send({ kind: "ask", id: 2, question: { kind: "import", text: "", options_json: "" } });
  bench.send({ kind: "step", how: "into", followed: null });
  bench.send({ kind: "play", pace: { kind: "steps", steps_per_s: 1 } });
  bench.send({ kind: "pause" });
  await expect.poll(() => bench.answers.has(2)).toBe(true);
  expect(bench.answers.has(1)).toBe(false);
  bench.openPreset(FIRST);
  expect(bench.frame.view.position.step).toBe(0);
  expect(bench.answers.get(1)?.kind).toBe("hash");
});
