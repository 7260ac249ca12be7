// Experiments that need the whole engine while the first one runs.

import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { Builds } from "./builds";
import { compiled, startBuild, TestBench } from "./loaded.test-support";
import type { Engine } from "./pkg/mmscope";

const FIRST = "first-touch.teach";
const OTHER = "dirty-writer.teach";
const ENDS = new Map(
  readFileSync("engine/mm/tests/data/hashes.txt", "utf8")
    .trim()
    .split("\n")
    .map((line) => [line.split(" ")[0], line.split(" ")[2]] as const),
);

/** A host in the first engine, whose whole one comes when told to. */
function waiting() {
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const load = () =>
    new Promise<WebAssembly.Module>((resolve, reject) => {
      answers.push({ resolve: () => resolve(compiled("whole")), reject });
    });
  const engine = startBuild(compiled("first"));
  const bench = new TestBench(engine, new Builds<Engine>(load, startBuild));
  bench.openPreset(FIRST);
  bench.events.length = 0;
  return { bench, answers };
}

const opened = (bench: TestBench) =>
  bench.events.flatMap((event) => (event.kind === "opened" ? [event.info.experiment] : []));

/** A busy machine is slow, not wrong. */
const PATIENCE = { timeout: 10_000 };

async function until(bench: TestBench, holds: () => void) {
  await vi.waitFor(() => {
    bench.work();
    holds();
  }, PATIENCE);
}

function hashAtEnd(bench: TestBench): string | undefined {
  bench.send({ kind: "end" });
  bench.send({ kind: "ask", id: 9, question: { kind: "hash" } });
  const answer = bench.answers.get(9);
  return answer?.kind === "hash" ? answer.hash : undefined;
}

test("what was open stays until the whole engine is there, and steps are meant for the other", async () => {
  const { bench, answers } = waiting();
  bench.openPreset(OTHER);
  bench.send({ kind: "step", how: "into", followed: null });
  expect(bench.events).toEqual([]);
  answers[0]?.resolve();
  await until(bench, () => expect(opened(bench)).toEqual([OTHER]));
  await until(bench, () => expect(bench.frame.cause).toBe("stepped"));
  expect(hashAtEnd(bench)).toBe(ENDS.get(OTHER));
  // What did without it before runs on in it.
  bench.openPreset(FIRST);
  expect(opened(bench)).toEqual([OTHER, FIRST]);
  expect(hashAtEnd(bench)).toBe(ENDS.get(FIRST));
  expect(answers).toHaveLength(1);
});

test("breakpoints come along", async () => {
  const { bench, answers } = waiting();
  const points = [{ id: "write", watched: { kind: "function", a: 0, b: 0 }, condition: null }];
  bench.send({ kind: "breakpoints", points } as never);
  bench.openPreset(OTHER);
  answers[0]?.resolve();
  await until(bench, () => expect(opened(bench)).toEqual([OTHER]));
  bench.send({ kind: "find", what: "next" } as never);
  expect(bench.frame.found).toEqual({ what: "next", id: "write" });
});

test("when it does not load that is told, what was open goes on, and the next try loads it", async () => {
  const { bench, answers } = waiting();
  bench.openPreset(OTHER);
  bench.send({ kind: "step", how: "into", followed: null });
  answers[0]?.reject(new Error("Failed to fetch"));
  await until(bench, () =>
    expect(bench.events.at(0)).toEqual({ kind: "unread", message: "Failed to fetch" }),
  );
  expect(bench.frame.cause).toBe("stepped");
  expect(opened(bench)).toEqual([]);
  expect(hashAtEnd(bench)).toBe(ENDS.get(FIRST));
  bench.openPreset(OTHER);
  answers[1]?.resolve();
  await until(bench, () => expect(opened(bench)).toEqual([OTHER]));
});

test("of two that wait only the last is opened, in the engine it needs", async () => {
  const { bench, answers } = waiting();
  bench.openPreset(OTHER);
  bench.openPreset(FIRST);
  expect(opened(bench)).toEqual([FIRST]);
  answers[0]?.resolve();
  await Promise.resolve();
  bench.work();
  expect(opened(bench)).toEqual([FIRST]);
  expect(hashAtEnd(bench)).toBe(ENDS.get(FIRST));
});
