// An open lesson: predictions, the engine's marks, the scene on the stage. Components call these
// actions and read the store.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Workbench } from "../../app/controller";
import { type Heard, LastAsked } from "../../engine/last-asked";
import type { Measured, Moment, Snapshot } from "../../engine/measure";
import { MeasureClient, type MeasureEngine } from "../../engine/measure-client";
import { keyMomentOf, markingOf, runOf, type Verdict, verdictOf } from "../../lessons/mark";
import { keepProgress, type Progress, readProgress } from "../../lessons/progress";
import {
  type Build,
  experimentText,
  type LessonData,
  measureOf,
  type Question,
  type Run,
  type Scene,
  type Setting,
} from "../../lessons/schema";
import { firstBefore } from "../../lessons/secret";
import { bareLink, writeLink } from "../../link/link";
import { writeFragment } from "../../link/router";
import { CONTROLLER } from "./words";

/** The state of marking a prediction. */
export type Marking =
  /** The engine is running; the step that it has reached. */
  | { readonly kind: "running"; readonly step: number }
  | { readonly kind: "marked"; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly message: string };

/** The result of an attempt at a build task. */
export type Trial =
  | { readonly kind: "running"; readonly step: number }
  /** The ends of the runs and their experiments, by the value that is compared. */
  | {
      readonly kind: "tried";
      readonly ends: Readonly<Record<string, Snapshot>>;
      readonly experiments: Readonly<Record<string, string>>;
    }
  /** The engine refuses the combination, with the reason. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "failed"; readonly message: string };

/** Answers of many runs of a question, by value and seed; null until a run has ended. */
export interface Sweep {
  readonly keys: Readonly<Record<string, readonly (string | null)[]>>;
  readonly isRunning: boolean;
  /** The reason why the sweep ended early, unless the reader interrupted it. */
  readonly failure: string | null;
}

/** The state of a lesson. */
export interface LessonState extends Progress {
  readonly markings: Readonly<Record<string, Marking>>;
  readonly sweeps: Readonly<Record<string, Sweep>>;
  /** By {@link trialKey}. */
  readonly trials: Readonly<Record<string, Trial>>;
  /** The moment that the stage shows or is moving to. */
  readonly scene: Scene | null;
  /** The canonical experiment of that moment; null until its run was read. */
  readonly sceneRun: string | null;
  readonly isStorageDenied: boolean;
  /** The data for links; null until the measuring engine has started. */
  readonly engine: MeasureEngine | null;
}

/** Number of seeds in a sweep. */
export const SWEEP_SEEDS = 20;
/** The seed of a scene, and of the first run of each question. */
export const FIRST_SEED = 1;

/** The key of a question's run. */
export const runKey = (question: string, { value, seed }: { value: string; seed: number }) =>
  `${question}/${value}/${seed}`;

const runOfKey = (question: Question, { set, seed }: Run) =>
  runKey(question.id, { value: set[question.knob] ?? "", seed });

const sweepKey = ({ id }: Question) => `sweep ${id}`;

/** The key of a build with some values of its parts. */
export const trialKey = ({ id, parts }: Build, set: Setting) =>
  [id, ...parts.map(({ knob }) => set[knob])].join("/");

/** The controller of one lesson with one stage. */
export class LessonController {
  readonly store: StoreApi<LessonState>;
  readonly lesson: LessonData;
  readonly #id: string;
  readonly #stage: Workbench;
  readonly #client: MeasureClient;
  /** Runs in progress, by purpose. */
  readonly #runs = new Map<string, { readonly asked: LastAsked; readonly done: Promise<void> }>();
  /** The moment for the stage: only the last request counts. */
  readonly #scenes = new LastAsked();
  /** Moments that were found, by run and moment. */
  readonly #found = new Map<string, Promise<Measured | null>>();

  constructor(id: string, lesson: LessonData, stage: Workbench, client = new MeasureClient()) {
    this.#id = id;
    this.lesson = lesson;
    this.#stage = stage;
    this.#client = client;
    this.store = createStore<LessonState>(() => ({
      ...readProgress(id),
      markings: {},
      sweeps: {},
      trials: {},
      scene: null,
      sceneRun: null,
      isStorageDenied: false,
      engine: null,
    }));
  }

  /** Starts the engine and marks earlier predictions again, by running them again. */
  begin() {
    void this.#client.engine.then((engine) => this.store.setState({ engine }));
    this.#markAgain();
    for (const build of this.lesson.builds) {
      if (builtIn(this.store.getState(), build).isTried) void this.#try(build);
    }
  }

  /** Ends the measuring worker and ignores its pending answers. */
  dispose() {
    this.#breakAllOff();
    this.#scenes.stop();
    this.#client.dispose();
    this.#found.clear();
    this.store.setState({ markings: {}, sweeps: {}, trials: {} });
  }

  /** Starts a run that can be interrupted; another with the same key replaces it. */
  #begin(key: string, work: (heard: Heard, signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#breakOff(key);
    const asked = new LastAsked();
    const done = asked.ask(work).finally(() => {
      if (this.#runs.get(key)?.asked === asked) this.#runs.delete(key);
    });
    this.#runs.set(key, { asked, done });
    return done;
  }

  /** Interrupts a run and ignores its pending answers. */
  #breakOff(key: string) {
    this.#runs.get(key)?.asked.stop();
    this.#runs.delete(key);
  }

  #breakAllOff() {
    for (const key of [...this.#runs.keys()]) this.#breakOff(key);
  }

  // ---- the stage

  /** Moves the stage to a scene. */
  show(scene: Scene, seed = FIRST_SEED): Promise<void> {
    return this.#showMoment({ ...scene, seed }, scene.at);
  }

  /** Moves the stage to the moment to show in a question's run. */
  showWatch(question: Question, run: Run): Promise<void> {
    return this.#scenes.ask((heard) => this.#goToFirst(heard, run, question.watch));
  }

  #showMoment(run: Run, at: Moment): Promise<void> {
    return this.#scenes.ask((heard) => this.#goTo(heard, run, at));
  }

  /** Marks a run, and moves the stage to the moment to show. */
  #showMarked(question: Question, run: Run): Promise<void> {
    return this.#scenes.ask(async (heard) => {
      await heard(this.#mark(question, run));
      const { markings } = this.store.getState();
      if (markings[runOfKey(question, run)]?.kind !== "marked") return;
      await this.#goToFirst(heard, run, question.watch);
    });
  }

  /** The experiment and the step of a scene, for a picture; null if its run has no such moment. */
  async placeOf(scene: Scene): Promise<{ text: string; experiment: string; step: number } | null> {
    const run = { ...scene, seed: FIRST_SEED };
    const measured = await this.#find(run, [scene.at]);
    if (measured?.kind !== "measured") return null;
    const step = measured.snapshots[0]?.view.position.step;
    if (step === undefined) return null;
    return { text: experimentText(this.lesson, run), experiment: measured.experiment, step };
  }

  async #goToFirst(heard: Heard, run: Run, moments: readonly Moment[]) {
    const measured = await heard(this.#find(run, moments));
    if (measured?.kind !== "measured") return;
    const at = measured.snapshots.findIndex((snapshot) => snapshot !== null);
    const moment = moments[at];
    if (moment) await this.#goTo(heard, run, moment);
  }

  async #goTo(heard: Heard, run: Run, at: Moment) {
    this.store.setState({
      scene: { experiment: run.experiment, set: run.set, at },
      sceneRun: null,
    });
    const measured = await heard(this.#find(run, [at]));
    if (measured?.kind !== "measured") return;
    this.store.setState({ sceneRun: measured.experiment });
    const step = measured.snapshots[0]?.view.position.step ?? 0;
    const { session } = this.#stage.store.getState();
    const goal = { kind: "step", step } as const;
    if (session?.experiment === measured.experiment) this.#stage.transport.seek(goal);
    else this.#stage.show(experimentText(this.lesson, run), goal);
  }

  /** Null if the engine failed; the stage's own engine reports the failure on its card. */
  #find(run: Run, moments: readonly Moment[]): Promise<Measured | null> {
    const key = JSON.stringify([run, moments]);
    const known = this.#found.get(key);
    if (known) return known;
    const measured = this.#client.measure(measureOf(this.lesson, run, moments)).catch(() => {
      this.#found.delete(key);
      return null;
    });
    this.#found.set(key, measured);
    return measured;
  }

  // ---- predictions

  /** The run that a question shows now. */
  settingOf(question: Question): { value: string; seed: number } {
    return settingIn(this.store.getState(), question);
  }

  /** Chooses another value of the knob, or another seed, for a question. */
  choose(question: Question, change: { value?: string; seed?: number }) {
    const setting = { ...this.settingOf(question), ...change };
    const { settings } = this.store.getState();
    this.store.setState({ settings: { ...settings, [question.id]: setting } });
    this.#keep();
    const run = runOf(question, setting.value, setting.seed);
    const { given } = this.store.getState();
    if (runKey(question.id, setting) in given) void this.#showMarked(question, run);
    else void this.#showMoment(run, question.scene);
  }

  /** Stores a prediction and has the engine mark it. */
  predict(question: Question, answer: string) {
    const setting = this.settingOf(question);
    const { given } = this.store.getState();
    this.store.setState({ given: { ...given, [runKey(question.id, setting)]: answer } });
    this.#keep();
    void this.#showMarked(question, runOf(question, setting.value, setting.seed));
  }

  /** Interrupts the marking and withdraws the prediction. */
  cancel(question: Question) {
    const key = runKey(question.id, this.settingOf(question));
    this.#breakOff(key);
    const { given, markings } = this.store.getState();
    this.store.setState({ given: without(given, key), markings: without(markings, key) });
    this.#keep();
  }

  #markAgain() {
    const { given } = this.store.getState();
    for (const question of this.lesson.questions) {
      const setting = this.settingOf(question);
      if (!(runKey(question.id, setting) in given)) continue;
      void this.#mark(question, runOf(question, setting.value, setting.seed));
    }
  }

  /**
   * Marks a run, unless that is done or in progress; resolves when it is marked, failed or
   * interrupted.
   */
  #mark(question: Question, run: Run): Promise<void> {
    const key = runOfKey(question, run);
    const running = this.#runs.get(key);
    if (running) return running.done;
    if (this.store.getState().markings[key]?.kind === "marked") return Promise.resolve();
    const set = (marking: Marking) =>
      this.store.setState(({ markings }) => ({ markings: { ...markings, [key]: marking } }));
    set({ kind: "running", step: 0 });
    return this.#begin(key, async (heard, signal) => {
      try {
        const measured = await heard(
          this.#client.measure(markingOf(this.lesson, question, run), {
            signal,
            progress: ({ step }) => set({ kind: "running", step }),
          }),
        );
        set({ kind: "marked", verdict: verdictOf(question, run, measured) });
      } catch (error) {
        if (!signal.aborted) set({ kind: "failed", message: wordsOf(error) });
      }
    });
  }

  /**
   * Marks every question with each value of its knob, for a key to the answers; the page shows none
   * of it.
   */
  async verdicts(
    progress: (done: number, all: number) => void,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const runs = this.lesson.questions.flatMap((question) =>
      question.values.map((value) => [question, runOf(question, value, FIRST_SEED)] as const),
    );
    const verdicts = new Map<string, Verdict>();
    for (const [question, run] of runs) {
      progress(verdicts.size, runs.length);
      const measured = await this.#client.measure(markingOf(this.lesson, question, run));
      verdicts.set(runOfKey(question, run), verdictOf(question, run, measured));
    }
    return verdicts;
  }

  /** The address of a snapshot in the workbench; null until the engine has reported its version. */
  linkTo(experiment: string, { view, hash }: Snapshot): string | null {
    const { engine } = this.store.getState();
    if (!engine) return null;
    const { step, time_ns } = view.position;
    const cursor = { step, time_ns, hash, engine: engine.version };
    const link = { ...bareLink(experiment), cursor };
    return writeFragment({ page: "workbench", x: writeLink(link, engine.presets) });
  }

  // ---- many runs

  /** Runs a question with every value of its knob and twenty seeds. */
  sweep(question: Question): Promise<void> {
    const keys: Record<string, (string | null)[]> = Object.fromEntries(
      question.values.map((value) => [value, Array<string | null>(SWEEP_SEEDS).fill(null)]),
    );
    const set = (isRunning: boolean, failure: string | null = null) =>
      this.#setSweep(question, { keys: structuredClone(keys), isRunning, failure });
    set(true);
    return this.#begin(sweepKey(question), async (heard, signal) => {
      try {
        for (const value of question.values) {
          for (let i = 0; i < SWEEP_SEEDS; i += 1) {
            const run = runOf(question, value, i + 1);
            const asked = measureOf(this.lesson, run, [keyMomentOf(question)]);
            const measured = await heard(this.#client.measure(asked, { signal }));
            const row = keys[value];
            if (row) row[i] = verdictOf(question, run, measured).key.id;
            set(true);
          }
        }
        set(false);
      } catch (error) {
        if (!signal.aborted) set(false, wordsOf(error));
      }
    });
  }

  #setSweep({ id }: Question, sweep: Sweep) {
    this.store.setState(({ sweeps }) => ({ sweeps: { ...sweeps, [id]: sweep } }));
  }

  /** Interrupts a sweep; finished runs stay. */
  cancelSweep(question: Question) {
    this.#breakOff(sweepKey(question));
    const sweep = this.store.getState().sweeps[question.id];
    if (sweep) this.#setSweep(question, { ...sweep, isRunning: false });
  }

  // ---- build tasks

  /** Changes a setting of a build task; the results of earlier attempts no longer apply. */
  turn(build: Build, knob: string, value: string) {
    const { built } = this.store.getState();
    const set = { ...builtIn({ built }, build).set, [knob]: value };
    this.store.setState({ built: { ...built, [build.id]: { set, isTried: false } } });
    this.#keep();
  }

  /** Runs a build, once for each value that it compares. */
  async tryOut(build: Build) {
    const { built } = this.store.getState();
    const { set } = builtIn({ built }, build);
    this.store.setState({ built: { ...built, [build.id]: { set, isTried: true } } });
    this.#keep();
    const [first = ""] = build.compare.values;
    await this.#scenes.ask(async (heard) => {
      await heard(this.#try(build));
      if (this.store.getState().trials[trialKey(build, set)]?.kind !== "tried") return;
      await this.#goToFirst(heard, trialRun(build, set, first), build.watch);
    });
  }

  /** Moves the stage to the moment to show in one of the runs. */
  showTrial(build: Build, set: Setting, value: string): Promise<void> {
    return this.#scenes.ask((heard) =>
      this.#goToFirst(heard, trialRun(build, set, value), build.watch),
    );
  }

  #try(build: Build): Promise<void> {
    const { set } = builtIn(this.store.getState(), build);
    const key = trialKey(build, set);
    const running = this.#runs.get(key);
    if (running) return running.done;
    if (this.store.getState().trials[key]?.kind === "tried") return Promise.resolve();
    const put = (trial: Trial) =>
      this.store.setState(({ trials }) => ({ trials: { ...trials, [key]: trial } }));
    put({ kind: "running", step: 0 });
    return this.#begin(key, async (heard, signal) => {
      const ends: Record<string, Snapshot> = {};
      const experiments: Record<string, string> = {};
      try {
        for (const value of build.compare.values) {
          const asked = measureOf(this.lesson, trialRun(build, set, value), [{ kind: "end" }]);
          const measured = await heard(
            this.#client.measure(asked, {
              signal,
              progress: ({ step }) => put({ kind: "running", step }),
            }),
          );
          if (measured.kind === "refused") {
            const reason = measured.refusals[0]?.reason ?? CONTROLLER.itSaysNoReason;
            return put({ kind: "refused", reason });
          }
          const [end] = measured.snapshots;
          if (!end) throw new Error("the run has no end");
          ends[value] = end;
          experiments[value] = measured.experiment;
        }
        put({ kind: "tried", ends, experiments });
      } catch (error) {
        if (!signal.aborted) put({ kind: "failed", message: wordsOf(error) });
      }
    });
  }

  // ---- reading

  /** The reader acts in a step: the step becomes the present one, and the stage does not follow. */
  enter(id: string) {
    const state = this.store.getState();
    const isRead = state.visited.includes(id) || firstBefore(this.lesson, state, id) !== null;
    this.store.setState({
      current: id,
      visited: isRead ? state.visited : [...state.visited, id],
    });
    this.#keep();
  }

  /** Shows the explanation after a question without an answer. */
  reveal(question: string) {
    const { shown } = this.store.getState();
    this.store.setState({ shown: [...shown, question] });
    this.#keep();
  }

  /** Opens a step although an earlier question has no answer; the stage follows. */
  openStep(id: string) {
    const { visited } = this.store.getState();
    this.store.setState({ visited: [...visited, id], scene: null });
    this.visit(id);
  }

  /** The reader has reached a step: the stage follows. */
  visit(id: string) {
    const { current, scene: before } = this.store.getState();
    const isThere = current === id && before !== null;
    this.enter(id);
    if (isThere || firstBefore(this.lesson, this.store.getState(), id)) return;
    const step = this.lesson.steps.find((each) => each.id === id);
    const scene = step?.scene === undefined ? undefined : this.lesson.scenes[step.scene];
    const question = this.lesson.questions.find((each) => each.id === step?.asks);
    if (scene) void this.show(scene);
    else if (question) this.#showQuestion(question);
  }

  #showQuestion(question: Question) {
    const setting = this.settingOf(question);
    const run = runOf(question, setting.value, setting.seed);
    const marking = this.store.getState().markings[runKey(question.id, setting)];
    if (marking?.kind === "marked") void this.showWatch(question, run);
    else void this.#showMoment(run, question.scene);
  }

  /** Deletes all answers. */
  forget() {
    this.#breakAllOff();
    this.store.setState({
      given: {},
      settings: {},
      built: {},
      shown: [],
      visited: [],
      markings: {},
      sweeps: {},
      trials: {},
    });
    this.#keep();
  }

  #keep() {
    const { given, settings, built, shown, visited, current } = this.store.getState();
    const stored = keepProgress(this.#id, { given, settings, built, shown, visited, current });
    this.store.setState({ isStorageDenied: stored !== "kept" });
  }
}

/** The run that a question shows. */
export const settingIn = (
  { settings }: Pick<LessonState, "settings">,
  question: Question,
): { value: string; seed: number } =>
  settings[question.id] ?? { value: question.start, seed: FIRST_SEED };

/** The present build, and whether it was tried. */
export const builtIn = (
  { built }: Pick<LessonState, "built">,
  build: Build,
): { set: Setting; isTried: boolean } =>
  built[build.id] ?? {
    set: Object.fromEntries(build.parts.map(({ knob, start }) => [knob, start])),
    isTried: false,
  };

/** One of the runs of a build. */
export const trialRun = ({ experiment, compare }: Build, set: Setting, value: string): Run => ({
  experiment,
  set: { ...set, [compare.knob]: value },
  seed: FIRST_SEED,
});

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));
