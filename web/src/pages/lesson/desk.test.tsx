import { readFileSync } from "node:fs";
import { waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { Workbench } from "../../app/controller";
import { startInProcess } from "../../engine/in-process.test-support";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import { MeasureClient } from "../../engine/measure-client";
import { readLesson } from "../../lessons/schema";
import { openLink } from "../../link/link";
import { builtIn, Desk, runKey, trialKey } from "./desk";

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

function begin() {
  const stage = new Workbench(() => startInProcess(), { ownsAddress: false });
  const desk = new Desk(ID, lesson, stage, new MeasureClient(startMeasureInProcess));
  desk.begin();
  const marking = (value = "10") =>
    desk.store.getState().markings[runKey(who?.id ?? "", { value, seed: 1 })];
  return { desk, stage, marking };
}

const SOON = { timeout: 20_000 };

beforeEach(() => localStorage.clear());

test("a prediction is marked, kept, and marked again by another visit", async () => {
  const first = begin();
  first.desk.predict(who, "kswapd");
  expect(first.marking()).toEqual({ kind: "running", step: 0 });
  await waitFor(() => expect(first.marking()?.kind).toBe("marked"), SOON);
  first.desk.dispose();

  const second = begin();
  expect(second.desk.store.getState().given).toEqual({ "who/10/1": "kswapd" });
  await waitFor(() => expect(second.marking()?.kind).toBe("marked"), SOON);
  const marking = second.marking();
  if (marking?.kind !== "marked") throw new Error("it was marked");
  expect(marking.verdict.key.id).toBe("player");
  second.desk.dispose();
}, 60_000);

test("the stage is brought to the moment a verdict is about, and its link opens there", async () => {
  const { desk, stage, marking } = begin();
  desk.predict(who, "player");
  await waitFor(() => expect(marking()?.kind).toBe("marked"), SOON);
  const made = marking();
  if (made?.kind !== "marked") throw new Error("it was marked");
  const { watch, experiment } = made.verdict;
  await waitFor(() => {
    const view = stage.store.getState().session?.frame?.view;
    expect(view?.position.step).toBe(watch.view.position.step);
    expect(view?.why).toEqual(watch.view.why);
  }, SOON);
  const engine = desk.store.getState().engine;
  const [, x = ""] = desk.linkTo(experiment, watch)?.split("x=") ?? [];
  const opened = openLink(x, engine?.presets ?? {});
  if (!opened.ok) throw new Error(opened.detail);
  expect(JSON.parse(opened.link.experiment)).toEqual(JSON.parse(experiment));
  expect(opened.link.cursor).toMatchObject({ step: watch.view.position.step, hash: watch.hash });
  desk.dispose();
}, 60_000);

test("a marking that is broken off takes the prediction back", async () => {
  const { desk, marking } = begin();
  desk.predict(who, "kswapd");
  await waitFor(() => {
    const running = marking();
    expect(running?.kind === "running" && running.step).toBeGreaterThan(0);
  }, SOON);
  desk.cancel(who);
  expect(marking()).toBeUndefined();
  expect(desk.store.getState().given).toEqual({});
  // The engine is free for the next.
  desk.choose(who, { value: "500" });
  desk.predict(who, "kswapd");
  await waitFor(() => expect(marking("500")?.kind).toBe("marked"), SOON);
  expect(marking()).toBeUndefined();
  desk.dispose();
}, 60_000);

test("many runs are counted as they are made, and stay when broken off", async () => {
  const { desk } = begin();
  const done = () =>
    Object.values(desk.store.getState().sweeps[who.id]?.keys ?? {})
      .flat()
      .filter((key) => key !== null).length;
  const sweep = desk.sweep(who);
  await waitFor(() => expect(done()).toBeGreaterThan(0), SOON);
  desk.cancelSweep(who);
  await sweep;
  const { isRunning, failure } = desk.store.getState().sweeps[who.id] ?? {};
  expect([isRunning, failure]).toEqual([false, null]);
  expect(done()).toBeGreaterThan(0);
  expect(done()).toBeLessThan(60);
  desk.dispose();
}, 60_000);

test("what storage holds is read with care", () => {
  localStorage.setItem(`mmscope.lesson.${ID}`, '{"given":7}');
  const { desk } = begin();
  expect(desk.store.getState().given).toEqual({});
  desk.dispose();
});

const STALL = "the-stall-that-was-not-the-disk";

test("what is built is turned, tried, kept, and tried again by another visit", async () => {
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
    const stage = new Workbench(() => startInProcess(), { ownsAddress: false });
    const desk = new Desk(STALL, data, stage, new MeasureClient(startMeasureInProcess));
    desk.begin();
    const trial = () => {
      const { built, trials } = desk.store.getState();
      const { set, isTried } = builtIn({ built }, build);
      return isTried ? trials[trialKey(build, set)] : undefined;
    };
    return { desk, stage, trial };
  };
  const first = visit();
  first.desk.turn(build, "where", "room");
  first.desk.turn(build, "mode", "1");
  expect(first.trial()).toBeUndefined();
  await first.desk.tryOut(build);
  const tried = first.trial();
  if (tried?.kind !== "tried") throw new Error("it was tried");
  expect(Object.keys(tried.ends)).toEqual(build.compare.values);
  await waitFor(() => {
    const experiment = first.stage.store.getState().session?.experiment;
    expect(JSON.parse(experiment ?? "{}").kernel).toBe("3.0");
  }, SOON);
  first.desk.dispose();

  const second = visit();
  await waitFor(() => expect(second.trial()?.kind).toBe("tried"), SOON);
  second.desk.turn(build, "mode", "0");
  expect(second.trial()).toBeUndefined();
  second.desk.forget();
  expect(builtIn(second.desk.store.getState(), build).set).toMatchObject({ where: "read" });
  second.desk.dispose();
}, 60_000);

test("settings kept while every lesson turned one tunable are still read", () => {
  const kept = { given: {}, settings: { who: { factor: "500", seed: 2 } }, visited: [] };
  localStorage.setItem(`mmscope.lesson.${ID}`, JSON.stringify({ ...kept, current: null }));
  const { desk } = begin();
  expect(desk.settingOf(who)).toEqual({ value: "500", seed: 2 });
  desk.dispose();
});
