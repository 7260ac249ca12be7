import { readFileSync } from "node:fs";
import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workbench } from "../../app/controller";
import { startInProcess } from "../../engine/in-process.test-support";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import type { Measure } from "../../engine/measure";
import {
  MeasureClient,
  type MeasureEvent,
  type MeasurePort,
  type MeasureRequest,
} from "../../engine/measure-client";
import { readLesson } from "../../lessons/schema";
import { openLink } from "../../link/link";
import { builtIn, LessonController, runKey, trialKey } from "./controller";

const ID = "watermarks-and-kswapd";
const json = (name: string): unknown =>
  JSON.parse(readFileSync(`lessons/${ID}/${name}.json`, "utf8"));

const lesson = readLesson({
  head: json("lesson"),
  experiments: json("experiments"),
  questions: json("questions"),
});

const [who] = lesson.questions;
if (!who) throw new Error("the lesson asks nothing");

const stages: Workbench[] = [];
afterEach(() => {
  for (const stage of stages.splice(0)) stage.dispose();
});

function begin() {
  const stage = beginStage();
  const controller = new LessonController(
    ID,
    lesson,
    stage,
    new MeasureClient(startMeasureInProcess),
  );
  controller.begin();
  const marking = (value = "10") =>
    controller.store.getState().markings[runKey(who?.id ?? "", { value, seed: 1 })];
  return { controller, stage, marking };
}

/** A lesson's stage with its own engine, which ends with the test. */
function beginStage(): Workbench {
  const stage = new Workbench(() => startInProcess(), { ownsAddress: false });
  stages.push(stage);
  return stage;
}

beforeEach(() => localStorage.clear());

test("marks and stores a prediction, and marks it again on another visit", async () => {
  const first = begin();
  first.controller.predict(who, "kswapd");
  expect(first.marking()).toEqual({ kind: "running", step: 0 });
  await waitFor(() => expect(first.marking()?.kind).toBe("marked"));
  first.controller.dispose();

  const second = begin();
  expect(second.controller.store.getState().given).toEqual({ "who/10/1": "kswapd" });
  await waitFor(() => expect(second.marking()?.kind).toBe("marked"));
  const marking = second.marking();
  if (marking?.kind !== "marked") throw new Error("it was marked");
  expect(marking.verdict.key.id).toBe("player");
  second.controller.dispose();
}, 60_000);

test("the stage goes to the step of a verdict, and its link opens that step", async () => {
  const { controller, stage, marking } = begin();
  controller.predict(who, "player");
  await waitFor(() => expect(marking()?.kind).toBe("marked"));
  const made = marking();
  if (made?.kind !== "marked") throw new Error("it was marked");
  const { watch, experiment } = made.verdict;
  await waitFor(() => {
    const view = stage.store.getState().session?.frame?.view;
    expect(view?.position.step).toBe(watch.view.position.step);
    expect(view?.why).toEqual(watch.view.why);
  });
  const engine = controller.store.getState().engine;
  const [, x = ""] = controller.linkTo(experiment, watch)?.split("x=") ?? [];
  const opened = openLink(x, engine?.presets ?? {});
  if (!opened.ok) throw new Error(opened.detail);
  expect(JSON.parse(opened.link.experiment)).toEqual(JSON.parse(experiment));
  expect(opened.link.cursor).toMatchObject({ step: watch.view.position.step, hash: watch.hash });
  controller.dispose();
}, 60_000);

test("cancelling a marking withdraws the prediction", async () => {
  const { controller, marking } = begin();
  controller.predict(who, "kswapd");
  await waitFor(() => {
    const running = marking();
    expect(running?.kind === "running" && running.step).toBeGreaterThan(0);
  });
  controller.cancel(who);
  expect(marking()).toBeUndefined();
  expect(controller.store.getState().given).toEqual({});
  // The engine is free for the next one.
  controller.choose(who, { value: "500" });
  controller.predict(who, "kswapd");
  await waitFor(() => expect(marking("500")?.kind).toBe("marked"));
  expect(marking()).toBeUndefined();
  controller.dispose();
}, 60_000);

test("counts many runs as they end and keeps them after an interruption", async () => {
  const { controller } = begin();
  const done = () =>
    Object.values(controller.store.getState().sweeps[who.id]?.keys ?? {})
      .flat()
      .filter((key) => key !== null).length;
  const sweep = controller.sweep(who);
  await waitFor(() => expect(done()).toBeGreaterThan(0));
  controller.cancelSweep(who);
  await sweep;
  const { isRunning, failure } = controller.store.getState().sweeps[who.id] ?? {};
  expect([isRunning, failure]).toEqual([false, null]);
  expect(done()).toBeGreaterThan(0);
  expect(done()).toBeLessThan(60);
  controller.dispose();
}, 60_000);

/** A measuring worker whose answers a test sends, in any order. */
class Delayed {
  onmessage: ((event: { data: MeasureEvent }) => void) | null = null;
  onerror = null;
  readonly asked: { readonly id: number; readonly measure: Measure }[] = [];
  postMessage(request: MeasureRequest) {
    if (request.kind === "measure") this.asked.push(request);
  }
  terminate() {}
  /** Answers the `n`th request with moments at some step. */
  answer(n: number, step: number) {
    const { id, measure } = this.asked[n] ?? { id: -1, measure: null };
    const view = { position: { step, time_ns: step }, counters: [], zones: [], nodes: [] };
    const snapshot = { view, hash: "" };
    const measured = {
      kind: "measured",
      experiment: measure?.experiment,
      snapshots: measure?.moments.map(() => snapshot),
    };
    this.onmessage?.({ data: { kind: "measured", id, measured } as unknown as MeasureEvent });
  }
}

/** A controller whose searches a test answers, and the places to which its stage went. */
function delayed() {
  const worker = new Delayed();
  const went: string[] = [];
  const knob = (text: string) => /"vm\.watermark_scale_factor":"(\d+)"/.exec(text)?.[1];
  const stage = {
    store: { getState: () => ({ session: null }) },
    show: (experiment: string, { step }: { step: number }) =>
      went.push(`${knob(experiment)} #${step}`),
  } as unknown as Workbench;
  const controller = new LessonController(
    ID,
    lesson,
    stage,
    new MeasureClient(() => worker as MeasurePort),
  );
  return { controller, worker, went };
}

const rests = () => new Promise((resolve) => setTimeout(resolve, 20));

test("never shows the step of an earlier search after a later choice", async () => {
  const { controller, worker, went } = delayed();
  controller.choose(who, { value: "500" });
  controller.choose(who, { value: "10" });
  expect(worker.asked).toHaveLength(2);
  worker.answer(1, 20);
  await expect.poll(() => went).toEqual(["10 #20"]);
  worker.answer(0, 50);
  await rests();
  expect(went).toEqual(["10 #20"]);
  expect(controller.store.getState().scene?.set).toMatchObject({ [who.knob]: "10" });
});

test("a new scene does not keep the run of the previous scene", async () => {
  const { controller, stage } = begin();
  const { filling, "bell-100": bell } = lesson.scenes;
  if (!filling || !bell) throw new Error("the lesson has no such scenes");
  const runOfScene = () => controller.store.getState().sceneRun;
  const onStage = () => stage.store.getState().session?.experiment;
  void controller.show(filling);
  await waitFor(() => expect(onStage()).toBe(runOfScene()));
  const before = onStage();
  void controller.show(bell);
  expect(runOfScene()).toBeNull();
  await waitFor(() => expect(onStage()).toBe(runOfScene()));
  expect(onStage()).not.toBe(before);
  controller.dispose();
}, 60_000);

test("does not show a marked run after the reader has chosen another", async () => {
  const { controller, worker, went } = delayed();
  controller.predict(who, "kswapd");
  worker.answer(0, 5);
  // The verdict exists, and the search for its moment is running.
  await expect.poll(() => worker.asked.length).toBe(2);
  controller.choose(who, { value: "500" });
  expect(worker.asked).toHaveLength(3);
  worker.answer(1, 6);
  await rests();
  expect(worker.asked).toHaveLength(3);
  worker.answer(2, 7);
  await expect.poll(() => went).toEqual(["500 #7"]);
});

test("shows a finished marking if the reader has returned to its run", async () => {
  const { controller, worker } = delayed();
  controller.predict(who, "kswapd");
  controller.choose(who, { value: "500" });
  controller.choose(who, { value: "10" });
  worker.answer(0, 5);
  const marking = () =>
    controller.store.getState().markings[runKey(who.id, { value: "10", seed: 1 })];
  await expect.poll(() => marking()?.kind).toBe("marked");
  // After the marking and the other choice's moment, the moment to watch is searched.
  await expect.poll(() => worker.asked.length).toBe(3);
});

test("a repeated prediction ignores the result of a withdrawn one", async () => {
  const { controller, worker } = delayed();
  const marking = () =>
    controller.store.getState().markings[runKey(who.id, { value: "10", seed: 1 })];
  controller.predict(who, "kswapd");
  controller.cancel(who);
  controller.predict(who, "player");
  expect(worker.asked).toHaveLength(2);
  worker.answer(0, 5);
  await rests();
  expect(marking()?.kind).toBe("running");
  worker.answer(1, 5);
  await expect.poll(() => marking()?.kind).toBe("marked");
});

test("answers deleted during marking remain deleted", async () => {
  const { controller, worker } = delayed();
  controller.predict(who, "kswapd");
  controller.forget();
  worker.answer(0, 5);
  await rests();
  expect(controller.store.getState().markings).toEqual({});
});

test("ignores stored progress that is not valid", () => {
  localStorage.setItem(`mmscope.lesson.${ID}`, '{"given":7}');
  const { controller } = begin();
  expect(controller.store.getState().given).toEqual({});
  controller.dispose();
});

const STALL = "the-stall-that-was-not-the-disk";

test("turns the knobs of a build, tries and stores it, and tries it again on another visit", async () => {
  const stall = (name: string): unknown =>
    JSON.parse(readFileSync(`lessons/${STALL}/${name}.json`, "utf8"));
  const data = readLesson({
    head: stall("lesson"),
    experiments: stall("experiments"),
    questions: stall("questions"),
    builds: stall("builds"),
  });
  const [build] = data.builds;
  if (!build) throw new Error("the lesson has nothing to build");
  const visit = () => {
    const stage = beginStage();
    const controller = new LessonController(
      STALL,
      data,
      stage,
      new MeasureClient(startMeasureInProcess),
    );
    controller.begin();
    const trial = () => {
      const { built, trials } = controller.store.getState();
      const { set, isTried } = builtIn({ built }, build);
      return isTried ? trials[trialKey(build, set)] : undefined;
    };
    return { controller, stage, trial };
  };
  const first = visit();
  first.controller.turn(build, "where", "room");
  first.controller.turn(build, "mode", "1");
  expect(first.trial()).toBeUndefined();
  await first.controller.tryOut(build);
  const tried = first.trial();
  if (tried?.kind !== "tried") throw new Error("it was tried");
  expect(Object.keys(tried.ends)).toEqual(build.compare.values);
  await waitFor(() => {
    const experiment = first.stage.store.getState().session?.experiment;
    expect(JSON.parse(experiment ?? "{}").kernel).toBe("3.0");
  });
  first.controller.dispose();

  const second = visit();
  await waitFor(() => expect(second.trial()?.kind).toBe("tried"));
  second.controller.turn(build, "mode", "0");
  expect(second.trial()).toBeUndefined();
  second.controller.forget();
  expect(builtIn(second.controller.store.getState(), build).set).toMatchObject({ where: "read" });
  second.controller.dispose();
}, 60_000);

test("still reads settings from the time when every lesson had the same tunable", () => {
  const stored = { given: {}, settings: { who: { factor: "500", seed: 2 } }, visited: [] };
  localStorage.setItem(`mmscope.lesson.${ID}`, JSON.stringify({ ...stored, current: null }));
  const { controller } = begin();
  expect(controller.settingOf(who)).toEqual({ value: "500", seed: 2 });
  controller.dispose();
});

test("the stage does not follow to a waiting step until the step is opened", async () => {
  const { controller } = begin();
  controller.visit("full");
  const at = () => controller.store.getState().scene;
  const before = at();
  expect(before).not.toBeNull();
  controller.visit("late");
  expect(at()).toBe(before);
  expect(controller.store.getState()).toMatchObject({ current: "late", visited: ["full"] });
  controller.openStep("late");
  expect(at()).not.toEqual(before);
  expect(controller.store.getState().visited).toEqual(["full", "late"]);
  controller.dispose();
});

test("remembers that an explanation was shown without an answer until all is deleted", () => {
  const first = begin().controller;
  first.reveal("who");
  first.dispose();
  const second = begin().controller;
  expect(second.store.getState().shown).toEqual(["who"]);
  second.visit("late");
  expect(second.store.getState().visited).toContain("late");
  second.forget();
  expect(second.store.getState()).toMatchObject({ shown: [], visited: [] });
  second.dispose();
});
