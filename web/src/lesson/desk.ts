// A lesson that is being read: what was predicted, what the engine said, what the stage shows.
// Components call these actions and read the store.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Measured, Moment, Snapshot } from "../engine/measure";
import { MeasureClient, type MeasureEngine } from "../engine/measure-client";
import { bareLink, writeLink } from "../link/link";
import { writeFragment } from "../link/router";
import type { Workbench } from "../workbench/controller";
import { markingOf, runOf, type Verdict, verdictOf } from "./mark";
import { keepProgress, type Progress, readProgress } from "./progress";
import {
  experimentText,
  type LessonData,
  measureOf,
  type Question,
  type Run,
  type Scene,
} from "./schema";

/** How far the marking of a prediction is. */
export type Marking =
  /** The engine runs; the step it has come to. */
  | { readonly kind: "running"; readonly step: number }
  | { readonly kind: "marked"; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly message: string };

/** Keys of many runs of a question, by factor and seed; null until a run is over. */
export interface Sweep {
  readonly keys: Readonly<Record<string, readonly (string | null)[]>>;
  readonly isRunning: boolean;
  /** Why it ended before its end, when nobody broke it off. */
  readonly failure: string | null;
}

/** A lesson's memory. */
export interface DeskState extends Progress {
  readonly markings: Readonly<Record<string, Marking>>;
  readonly sweeps: Readonly<Record<string, Sweep>>;
  /** The moment the stage shows or is on its way to. */
  readonly scene: Scene | null;
  readonly isStorageDenied: boolean;
  /** What links need; none before the measuring engine has started. */
  readonly engine: MeasureEngine | null;
}

/** Seeds a sweep runs. */
export const SWEEP_SEEDS = 20;
/** The seed of a scene, and of the first run of each question. */
export const FIRST_SEED = 1;

/** The name of a run of a question. */
export const runKey = (question: string, { factor, seed }: { factor: string; seed: number }) =>
  `${question}/${factor}/${seed}`;

/** One lesson with one stage. */
export class Desk {
  readonly store: StoreApi<DeskState>;
  readonly lesson: LessonData;
  readonly #id: string;
  readonly #stage: Workbench;
  readonly #client: MeasureClient;
  readonly #aborts = new Map<string, AbortController>();
  /** Moments that were found, by run and moment. */
  readonly #found = new Map<string, Promise<Measured | null>>();

  constructor(id: string, lesson: LessonData, stage: Workbench, client = new MeasureClient()) {
    this.#id = id;
    this.lesson = lesson;
    this.#stage = stage;
    this.#client = client;
    this.store = createStore<DeskState>(() => ({
      ...readProgress(id),
      markings: {},
      sweeps: {},
      scene: null,
      isStorageDenied: false,
      engine: null,
    }));
  }

  /** Begins: what was predicted before is marked again, by running again. */
  begin() {
    void this.#client.engine.then((engine) => this.store.setState({ engine }));
    this.#markAgain();
  }

  /** Ends the measuring worker; what it was about to say is not heard. */
  dispose() {
    this.#client.dispose();
    this.#found.clear();
    this.store.setState({ markings: {}, sweeps: {} });
  }

  // ---- the stage

  /** Brings the stage to a scene. */
  show(scene: Scene, seed = FIRST_SEED): Promise<void> {
    return this.#showMoment({ ...scene, seed }, scene.at);
  }

  /** Brings the stage to what a question's run should be watched for. */
  async showWatch(question: Question, run: Run) {
    const measured = await this.#find(run, question.watch);
    if (measured?.kind !== "measured") return;
    const at = measured.snapshots.findIndex((snapshot) => snapshot !== null);
    const moment = question.watch[at];
    if (moment) await this.#showMoment(run, moment);
  }

  async #showMoment(run: Run, at: Moment) {
    const scene = { experiment: run.experiment, factor: run.factor, at };
    this.store.setState({ scene });
    const measured = await this.#find(run, [at]);
    // Somebody may have gone elsewhere meanwhile.
    if (this.store.getState().scene !== scene || measured?.kind !== "measured") return;
    const step = measured.snapshots[0]?.view.position.step ?? 0;
    const { session } = this.#stage.store.getState();
    const goal = { kind: "step", step } as const;
    if (session?.experiment === measured.experiment) this.#stage.seek(goal);
    else this.#stage.show(experimentText(this.lesson, run), goal);
  }

  /** Null where the engine failed: the stage's own engine says so on its card. */
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

  /** The run a question shows now. */
  settingOf(question: Question): { factor: string; seed: number } {
    return settingIn(this.store.getState(), question);
  }

  /** Chooses another value of the tunable, or another seed, for a question. */
  choose(question: Question, change: { factor?: string; seed?: number }) {
    const setting = { ...this.settingOf(question), ...change };
    const { settings } = this.store.getState();
    this.store.setState({ settings: { ...settings, [question.id]: setting } });
    this.#keep();
    const run = runOf(question, setting.factor, setting.seed);
    const { given } = this.store.getState();
    if (runKey(question.id, setting) in given) void this.#mark(question, run, true);
    else void this.#showMoment(run, question.scene);
  }

  /** Records a prediction and has the engine mark it. */
  predict(question: Question, answer: string) {
    const setting = this.settingOf(question);
    const { given } = this.store.getState();
    this.store.setState({ given: { ...given, [runKey(question.id, setting)]: answer } });
    this.#keep();
    void this.#mark(question, runOf(question, setting.factor, setting.seed), true);
  }

  /** Breaks a marking off and takes the prediction back. */
  cancel(question: Question) {
    const key = runKey(question.id, this.settingOf(question));
    this.#aborts.get(key)?.abort();
    const { given, markings } = this.store.getState();
    this.store.setState({ given: without(given, key), markings: without(markings, key) });
    this.#keep();
  }

  #markAgain() {
    const { given } = this.store.getState();
    for (const question of this.lesson.questions) {
      const setting = this.settingOf(question);
      if (!(runKey(question.id, setting) in given)) continue;
      void this.#mark(question, runOf(question, setting.factor, setting.seed), false);
    }
  }

  async #mark(question: Question, run: Run, isToShow: boolean) {
    const key = runKey(question.id, run);
    const known = this.store.getState().markings[key];
    if (known?.kind === "running") return;
    if (known?.kind !== "marked") {
      const abort = new AbortController();
      this.#aborts.set(key, abort);
      const set = (marking: Marking) =>
        this.store.setState(({ markings }) => ({ markings: { ...markings, [key]: marking } }));
      set({ kind: "running", step: 0 });
      try {
        const measured = await this.#client.measure(markingOf(this.lesson, question, run), {
          signal: abort.signal,
          progress: ({ step }) => set({ kind: "running", step }),
        });
        set({ kind: "marked", verdict: verdictOf(question, run, measured) });
      } catch (error) {
        if (abort.signal.aborted) return;
        return set({ kind: "failed", message: wordsOf(error) });
      } finally {
        this.#aborts.delete(key);
      }
    }
    if (isToShow) await this.showWatch(question, run);
  }

  /** The address of a snapshot in the workbench; none before the engine has said its version. */
  linkTo(experiment: string, { view, hash }: Snapshot): string | null {
    const { engine } = this.store.getState();
    if (!engine) return null;
    const { step, time_ns } = view.position;
    const cursor = { step, time_ns, hash, engine: engine.version };
    const link = { ...bareLink(experiment), cursor };
    return writeFragment({ page: "workbench", x: writeLink(link, engine.presets) });
  }

  // ---- many runs

  /** Runs a question with every factor and twenty seeds. */
  async sweep(question: Question) {
    const key = `sweep ${question.id}`;
    const abort = new AbortController();
    this.#aborts.set(key, abort);
    const keys: Record<string, (string | null)[]> = Object.fromEntries(
      question.factors.map((factor) => [factor, Array<string | null>(SWEEP_SEEDS).fill(null)]),
    );
    const set = (isRunning: boolean, failure: string | null = null) =>
      this.store.setState(({ sweeps }) => ({
        sweeps: { ...sweeps, [question.id]: { keys: structuredClone(keys), isRunning, failure } },
      }));
    let failure: string | null = null;
    set(true);
    try {
      for (const factor of question.factors) {
        for (let i = 0; i < SWEEP_SEEDS; i += 1) {
          const run = runOf(question, factor, i + 1);
          const asked = measureOf(this.lesson, run, [{ kind: "end" }]);
          const measured = await this.#client.measure(asked, { signal: abort.signal });
          const row = keys[factor];
          if (row) row[i] = verdictOf(question, run, measured).key.id;
          set(true);
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) failure = wordsOf(error);
    } finally {
      this.#aborts.delete(key);
      set(false, failure);
    }
  }

  /** Breaks a sweep off; what ran stays. */
  cancelSweep(question: Question) {
    this.#aborts.get(`sweep ${question.id}`)?.abort();
  }

  // ---- reading

  /** The reader does something in a step: it is the one that is read; the stage is theirs. */
  enter(id: string) {
    const { visited } = this.store.getState();
    this.store.setState({
      current: id,
      visited: visited.includes(id) ? visited : [...visited, id],
    });
    this.#keep();
  }

  /** The reader has come to a step: the stage follows. */
  visit(id: string) {
    const { current, scene: before } = this.store.getState();
    const isThere = current === id && before !== null;
    this.enter(id);
    if (isThere) return;
    const step = this.lesson.steps.find((each) => each.id === id);
    const scene = step?.scene === undefined ? undefined : this.lesson.scenes[step.scene];
    const question = this.lesson.questions.find((each) => each.id === step?.asks);
    if (scene) void this.show(scene);
    else if (question) this.#showQuestion(question);
  }

  #showQuestion(question: Question) {
    const setting = this.settingOf(question);
    const run = runOf(question, setting.factor, setting.seed);
    const marking = this.store.getState().markings[runKey(question.id, setting)];
    if (marking?.kind === "marked") void this.showWatch(question, run);
    else void this.#showMoment(run, question.scene);
  }

  /** Forgets all answers. */
  forget() {
    this.store.setState({ given: {}, settings: {}, visited: [], markings: {}, sweeps: {} });
    this.#keep();
  }

  #keep() {
    const { given, settings, visited, current } = this.store.getState();
    const kept = keepProgress(this.#id, { given, settings, visited, current });
    this.store.setState({ isStorageDenied: kept === "denied" });
  }
}

/** The run a question shows. */
export const settingIn = (
  { settings }: Pick<DeskState, "settings">,
  question: Question,
): { factor: string; seed: number } =>
  settings[question.id] ?? { factor: question.start, seed: FIRST_SEED };

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== key));
