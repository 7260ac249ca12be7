// Long runs: to the end, with progress, with a stop anywhere, and with requests that arrive
// meanwhile.

import { describe, expect, test } from "vitest";
import { TestBench } from "../loaded.test-support";
import type { EngineEvent, LongRun } from "../protocol";

const PRESET = "dirty-writer.teach";

function opened(): TestBench {
  const bench = new TestBench();
  bench.openPreset(PRESET);
  bench.events.length = 0;
  return bench;
}

const isProgress = (event: EngineEvent) => event.kind === "progress";
const ways = (bench: TestBench): LongRun[] =>
  bench.events.filter(isProgress).map(({ longRun }) => longRun);

/** Lets the host work until a long run has reported progress a few times. */
function workUntilCounted(bench: TestBench) {
  for (let i = 0; i < 5000 && ways(bench).length < 3; i += 1) bench.work(1);
}

/** A machine of real size on a slow computer, on which every run is long. */
function slow(): TestBench {
  const bench = new TestBench();
  bench.openPreset("first-touch.4g");
  bench.events.length = 0;
  bench.tick_ms = 30;
  return bench;
}

function running(): TestBench {
  const bench = slow();
  bench.send({ kind: "end" }, 0);
  workUntilCounted(bench);
  return bench;
}

describe("a run to the end", () => {
  test("reports its progress and sends no frame meanwhile", () => {
    const bench = running();
    const counted = ways(bench);
    expect(counted.length).toBe(3);
    expect(bench.events.every(isProgress)).toBe(true);
    const steps = counted.map(({ at }) => at.step);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps).size).toBe(3);
    const [longRun] = counted;
    expect(longRun).toMatchObject({ toEnd: true, goal_ns: 60e9, from: { step: 0 } });
    expect(longRun?.steps_per_s).toBeGreaterThan(0);
  });

  test("stops at a step that is reached in the same state from either side", () => {
    const bench = running();
    bench.send({ kind: "pause" });
    const { frame } = bench;
    expect(frame.mode.kind).toBe("paused");
    expect(frame.cause).toBe("paused");
    const { step } = frame.view.position;
    expect(step).toBeGreaterThanOrEqual(ways(bench).at(-1)?.at.step ?? Number.POSITIVE_INFINITY);
    expect(frame.view.why).toBeTruthy();
    const hash = bench.engine.hash(0);
    bench.send({ kind: "back", how: "step", followed: null });
    expect(bench.frame.view.position.step).toBe(step - 1);
    bench.send({ kind: "step", how: "any", followed: null });
    expect(bench.frame.view.position.step).toBe(step);
    expect(bench.engine.hash(0)).toBe(hash);
    bench.send({ kind: "go", goal: { kind: "start" } });
    bench.send({ kind: "go", goal: { kind: "step", step } });
    expect(bench.engine.hash(0)).toBe(hash);
  });

  test("stops once when the button is pressed twice", () => {
    const bench = running();
    bench.send({ kind: "pause" }, 0);
    bench.send({ kind: "pause" });
    const at = ways(bench).at(-1)?.at.step ?? 0;
    expect(bench.frame.view.position.step).toBeGreaterThanOrEqual(at);
    expect(bench.frame.mode.kind).toBe("paused");
  });

  test("ends at the same step and with the same hash as stepping", () => {
    const bench = opened();
    bench.send({ kind: "end" });
    expect(bench.frame.view.position.ended).toBe(true);
    const ended = bench.engine.hash(0);
    const { step } = bench.frame.view.position;
    bench.send({ kind: "go", goal: { kind: "step", step: 1000 } });
    bench.send({ kind: "go", goal: { kind: "step", step } });
    expect(bench.engine.hash(0)).toBe(ended);
  });
});

describe("a long seek", () => {
  test("makes a step that was requested during the seek after it arrives", () => {
    const bench = slow();
    const goal = 3_000_000;
    bench.send({ kind: "go", goal: { kind: "step", step: goal } }, 1);
    expect(bench.engine.view(0, undefined).position.step).toBeLessThan(goal);
    bench.send({ kind: "back", how: "step", followed: null });
    expect(bench.frame.view.position.step).toBe(goal - 1);
  });

  test("answers questions that were asked during the seek for the step where it arrives", () => {
    const bench = slow();
    const goal = 3_000_000;
    bench.send({ kind: "go", goal: { kind: "step", step: goal } }, 1);
    bench.send({ kind: "ask", id: 1, question: { kind: "hash" } }, 0);
    expect(bench.answers.size).toBe(0);
    bench.work();
    const answer = bench.answers.get(1);
    expect(answer?.kind === "hash" && answer.position.step).toBe(goal);
  });

  test("shows the same reasons after a run to a time as after a run to its step", () => {
    const bench = opened();
    // kswapd works here: almost every step decides something.
    bench.send({ kind: "go", goal: { kind: "time", time_ns: 100e9 } });
    const { step } = bench.frame.view.position;
    const arrived = bench.frame.view;
    bench.send({ kind: "go", goal: { kind: "start" } });
    bench.send({ kind: "go", goal: { kind: "step", step } });
    expect(arrived).toEqual(bench.frame.view);
  });
});
