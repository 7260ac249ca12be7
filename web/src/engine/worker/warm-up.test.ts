// The warm-up runs the engine's code in the background, beside a large machine that nobody has
// played.

import { expect, test } from "vitest";
import { loadEngine, presetJson, TestBench } from "../loaded.test-support";
import { WARM_UP_PRESETS, warmUp } from "./warm-up";

/** A warm-up of a real engine, with a clock of its own. */
function warming(isIdle = () => true) {
  const due: (() => void)[] = [];
  const engines: { opened: number; runs: number; isFreed: boolean }[] = [];
  let now_ms = 0;
  const begin = () => {
    const engine = loadEngine();
    const seen = { opened: 0, runs: 0, isFreed: false };
    engines.push(seen);
    const { open, run, free } = engine;
    engine.open = (...what) => {
      seen.opened += 1;
      return open.apply(engine, what);
    };
    engine.run = (...how) => {
      seen.runs += 1;
      return run.apply(engine, how);
    };
    engine.free = () => {
      seen.isFreed = true;
      free.apply(engine);
    };
    return engine;
  };
  const experiments = WARM_UP_PRESETS.map(presetJson);
  const now = () => {
    now_ms += 2;
    return now_ms;
  };
  warmUp({ begin, experiments, now, later: (work) => due.push(work) }, isIdle);
  const work = (turns = 1000) => {
    for (let i = 0; i < turns && due.length > 0; i += 1) due.shift()?.();
  };
  return { experiments, engines, due, work };
}

test("runs some small machines for a while and frees their memory", () => {
  const { experiments, engines, due, work } = warming();
  expect(experiments).toHaveLength(WARM_UP_PRESETS.length);
  expect(engines).toEqual([]);
  work();
  expect(due).toEqual([]);
  const [seen] = engines;
  expect(engines).toHaveLength(1);
  expect(seen?.isFreed).toBe(true);
  expect(seen?.runs).toBeGreaterThan(100);
  // Runs that ended were started again.
  expect(seen?.opened).toBeGreaterThan(experiments.length);
});

test("pauses while the engine is busy and continues afterwards", () => {
  let isIdle = true;
  const { engines, work } = warming(() => isIdle);
  work(3);
  const before = engines[0]?.runs;
  expect(before).toBeGreaterThan(0);
  isIdle = false;
  work(20);
  expect(engines[0]?.runs).toBe(before);
  isIdle = true;
  work();
  expect(engines[0]?.isFreed).toBe(true);
});

test("warms up once a large machine is on screen and pauses while it plays", () => {
  const bench = new TestBench();
  bench.openPreset("first-touch.teach");
  expect(bench.warmUps).toEqual([]);
  bench.openPreset("first-touch.4g");
  const isIdle = bench.warmUps[0];
  expect(isIdle?.()).toBe(true);
  bench.send({ kind: "play", pace: { kind: "steps", steps_per_s: 1 } }, 0);
  expect(isIdle?.()).toBe(false);
  bench.openPreset("first-touch.4g");
  expect(bench.warmUps).toHaveLength(1);
});

test("the warm-up does not change the open machine", () => {
  const bench = new TestBench();
  bench.openPreset("first-touch.4g");
  const { view } = bench.frame;
  warming().work();
  bench.send({ kind: "step", how: "any", followed: null });
  bench.send({ kind: "back", how: "step", followed: null });
  expect(bench.frame.view.position).toEqual(view.position);
});
