// The state of the sweep page: a definition, its plan, the finished runs, and the runs in progress.
// Components call these actions and read the store.

import { createStore, type StoreApi } from "zustand/vanilla";
import { engineBuild } from "../../engine/build";
import { LastAsked } from "../../engine/last-asked";
import { startReader } from "../../engine/page-reader";
import { Reader } from "../../engine/reader";
import {
  type AxisValues,
  type CompleteResult,
  type EndedJob,
  planSweep,
  type SweepCalls,
  type SweepJob,
  type SweepPlan,
  SweepRefused,
  sweepExperiment,
  sweepLines,
} from "../../engine/sweep";
import { Database, type StoredSweep } from "../../keep/database";
import { RunHistory } from "../../keep/history";
import { COSTS } from "../../runs/cost";
import { NotStartedError, PRIORITY, type RunPool, sharedPool } from "../../runs/pool";
import { KeyedResults } from "../../runs/results";
import { axisWords, valueWords } from "./axes";
import {
  type Definition,
  definitionOf,
  fileOf,
  firstDefinition,
  isDefinition,
  rowFault,
} from "./definition";
import type { Linked } from "./linked";
import { recordedSweep } from "./recorded";
import * as words from "./words";

/** The runs in progress. */
interface Progress {
  readonly done: number;
  readonly of: number;
  /** The remaining time, s; null until a run has finished. */
  readonly left_s: number | null;
}

/** The state of the page. */
export interface SweepState {
  /** Null until the stored sweeps are read. */
  readonly definition: Definition | null;
  /** Null while the definition is being checked, or if it is invalid. */
  readonly plan: SweepPlan | null;
  readonly isChecking: boolean;
  /** The reasons why the definition is invalid. */
  readonly faults: readonly string[];
  /** By the key of the experiment. A new map for each publication. */
  readonly results: ReadonlyMap<string, CompleteResult>;
  /** Null while nothing runs. */
  readonly progress: Progress | null;
  readonly message: string | null;
  /** Runs that failed, with the reason. */
  readonly failed: readonly string[];
  /** Whether the browser stores results. */
  readonly isKeeping: boolean;
  /** Stored sweeps, the last changed one first. */
  readonly saved: readonly StoredSweep[];
  /** The id of the shown sweep. */
  readonly id: string;
  /** The shown one is stored. A sweep of a link is stored when the user edits or runs it. */
  readonly isStored: boolean;
  /** Why the link that the user followed was not opened. */
  readonly linkFault: string | null;
}

/** The delay between the last change of the form and the engine's check, ms. */
const CHECK_MS = 300;
/** How often finished runs appear on the page, ms. */
const SHOW_MS = 250;
/** Runs whose stored results are read, and whose lines are written, at once. */
const BATCH = 500;
/** Memory of a run of a teaching machine, MiB, if its cost is not known. */
const USUAL_MIB = 64;
const LARGE_MIB = 500;

/** The controller of the page. */
export class SweepController {
  readonly store: StoreApi<SweepState>;
  readonly #reader: SweepCalls;
  readonly #pool: RunPool;
  readonly #database = new Database(() => {});
  readonly #kept: KeyedResults;
  /** A sweep that ends is also added to the user's runs. */
  readonly #history = new RunHistory();
  readonly #build: string;
  readonly #checks = new LastAsked();
  /** The JSON text of each result, for lines with all digits. */
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, CompleteResult>();
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown = 0;

  constructor({
    reader = new Reader(startReader) as SweepCalls,
    pool = sharedPool,
    build = engineBuild,
  } = {}) {
    this.#reader = reader;
    this.#pool = pool;
    this.#build = build;
    this.#kept = new KeyedResults(build);
    void this.#kept.removeOld();
    this.store = createStore<SweepState>(() => ({
      definition: null,
      plan: null,
      isChecking: false,
      faults: [],
      results: new Map(),
      progress: null,
      message: null,
      failed: [],
      isKeeping: true,
      saved: [],
      id: newId(),
      isStored: false,
      linkFault: null,
    }));
  }

  /**
   * Opens what a link names. A link without an experiment opens the sweep that was changed last. A
   * link that cannot be opened does too, unless a sweep is already shown.
   */
  async begin(linked: Linked, otherwise: string): Promise<void> {
    const saved = await this.#savedSweeps();
    this.store.setState({ saved });
    const { definition } = this.store.getState();
    const named = linked.kind === "stored" ? saved.find(({ id }) => id === linked.id) : undefined;
    const [last] = saved;
    if (linked.kind === "experiment") this.#begin(linked.experiment);
    else if (named) this.open(named);
    else if (linked.kind === "none" || definition === null) {
      if (last) this.open(last);
      else this.#begin(otherwise);
    }
    if (linked.kind === "fault") this.store.setState({ linkFault: linked.reason });
    else if (linked.kind === "stored" && !named)
      this.store.setState({ linkFault: words.LINK.sweep(linked.id) });
  }

  /** Shows a new sweep of an experiment. It is stored when the user edits or runs it. */
  #begin(experiment: Definition["experiment"]): void {
    const shown = { id: newId(), isStored: false, definition: firstDefinition(experiment) };
    this.#show(shown, 0);
  }

  /** Opens a stored sweep. */
  open({ id, file }: StoredSweep): void {
    this.#show({ id, isStored: true, definition: definitionOf(file) }, 0);
  }

  /**
   * Opens the text of a file as a new sweep; throws an error with a sentence if the text is not a
   * sweep.
   */
  openFile(text: string): void {
    const definition = definitionOf(text);
    this.store.setState({ id: newId() });
    this.change(definition);
  }

  /** Changes the definition, stores it, and checks it. */
  change(definition: Definition): void {
    this.#show({ definition }, CHECK_MS);
    void this.#keepShown();
  }

  #show(shown: Partial<Pick<SweepState, "id" | "isStored" | "definition">>, delay_ms: number) {
    this.cancel();
    this.store.setState({ ...shown, plan: null, message: null, failed: [], linkFault: null });
    this.#check(delay_ms);
  }

  /** Stores the shown sweep. */
  async #keepShown(): Promise<void> {
    const { id, definition } = this.store.getState();
    if (!definition) return;
    this.store.setState({ isStored: true });
    const kept = { id, file: fileOf(definition), changed_ms: Date.now() };
    await this.#database
      .putSweep(kept)
      .catch(() => this.store.setState({ isKeeping: false, isStored: false }));
    const saved = await this.#savedSweeps();
    this.store.setState({ saved });
  }

  /** The stored sweeps that this version can read. */
  async #savedSweeps(): Promise<readonly StoredSweep[]> {
    const all = await this.#database.sweeps().catch(() => this.store.getState().saved);
    return all.filter(({ file }) => isDefinition(file));
  }

  /** Deletes a stored sweep; its results stay, other sweeps may use them. */
  async remove(id: string): Promise<void> {
    await this.#database.removeSweep(id).catch(() => {});
    this.store.setState(({ saved }) => ({ saved: saved.filter((each) => each.id !== id) }));
  }

  /** The engine checks the definition; then the stored results of its runs are read. */
  #check(delay_ms: number) {
    const { definition } = this.store.getState();
    if (!definition) return;
    const fault = rowFault(definition.rows);
    this.store.setState({ isChecking: fault === null, faults: fault ? [fault] : [], plan: null });
    void this.#checks.ask(async (heard) => {
      await heard(new Promise((resolve) => setTimeout(resolve, delay_ms)));
      if (fault !== null) return;
      try {
        const plan = await heard(planSweep(this.#reader, fileOf(definition)));
        await heard(this.#recall(plan.jobs));
        this.store.setState({ plan, isChecking: false, results: new Map(this.#parsed) });
      } catch (error) {
        if (error instanceof DOMException) throw error;
        const faults =
          error instanceof SweepRefused ? error.reasons : [words.ENGINE_MISSING + reasonOf(error)];
        this.store.setState({ faults, isChecking: false });
      }
    });
  }

  async #recall(jobs: readonly SweepJob[]): Promise<void> {
    const missing = jobs.map(({ key }) => key).filter((key) => !this.#texts.has(key));
    for (let from = 0; from < missing.length; from += BATCH) {
      const found = await this.#kept.of(missing.slice(from, from + BATCH));
      for (const [key, text] of found) this.#add(key, text);
    }
  }

  #add(key: string, text: string) {
    this.#texts.set(key, text);
    this.#parsed.set(key, JSON.parse(text) as CompleteResult);
  }

  /** Runs the remaining experiments. */
  async run(): Promise<void> {
    const { plan, definition, progress, isStored } = this.store.getState();
    if (!plan || !definition || progress) return;
    if (!isStored) void this.#keepShown();
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    const file = fileOf(definition);
    const missing = plan.jobs.filter(({ key }) => !this.#texts.has(key));
    const memory_mib = memoryOf(definition);
    const began = performance.now();
    let finished = 0;
    const show = () => {
      if (signal.aborted) return;
      const left_s =
        finished === 0
          ? null
          : (((performance.now() - began) / finished) * (missing.length - finished)) / 1000;
      const done = plan.jobs.length - missing.length + finished;
      this.store.setState({ progress: { done, of: plan.jobs.length, left_s } });
      this.#publish();
    };
    this.store.setState({ message: null, failed: [] });
    show();
    const waiting = [...missing];
    /** Keeps one worker busy. The pool never holds more jobs than can run at once. */
    const take = async () => {
      for (let job = waiting.shift(); job && !signal.aborted; job = waiting.shift()) {
        await this.#runOne(job, file, memory_mib, signal);
        finished += 1;
        show();
      }
    };
    const width = this.#pool.width(missing.length, memory_mib);
    const ended = await Promise.allSettled(Array.from({ length: width }, take));
    if (signal.aborted) return;
    const stopped = ended.find((each) => each.status === "rejected");
    const message = stopped ? words.ENGINE_MISSING + reasonOf(stopped.reason) : null;
    this.#running = null;
    this.store.setState({ progress: null, message });
    this.#publish(0);
    await this.#record(plan, definition);
  }

  /** Adds the finished runs to the user's runs. */
  async #record({ jobs }: SweepPlan, definition: Definition): Promise<void> {
    const results = jobs.flatMap(({ key }) => this.#parsed.get(key) ?? []);
    const made = recordedSweep(this.store.getState().id, definition, this.#build, results);
    if (made) await this.#history.add(made);
  }

  /** Runs one experiment and stores its result. Rejects if no worker starts. */
  async #runOne(job: SweepJob, file: string, memory_mib: number, signal: AbortSignal) {
    try {
      const experiment = await sweepExperiment(this.#reader, file, job.axes);
      const measured = await this.#pool.add({
        memory_mib,
        priority: PRIORITY.background,
        signal,
        work: (client) =>
          client.measure({ experiment, moments: [{ kind: "end" }], complete: true }, { signal }),
      });
      if (measured.kind === "refused" || measured.complete === undefined) {
        const [first] = measured.kind === "refused" ? measured.refusals : [];
        throw new Error(first?.reason ?? "it gave no result");
      }
      this.#add(job.key, measured.complete);
      const isKept = await this.#kept.keep(new Map([[job.key, measured.complete]]));
      if (!isKept) this.store.setState({ isKeeping: false });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NotStartedError) throw error;
      const failure = words.failedRun(axesWords(job.axes), reasonOf(error));
      this.store.setState(({ failed }) => ({ failed: [...failed, failure] }));
    }
  }

  /** Shows finished runs, a few times a second at most. */
  #publish(delay_ms = SHOW_MS) {
    if (this.#shown === this.#parsed.size) return;
    if (delay_ms > 0 && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#shown = this.#parsed.size;
      this.store.setState({ results: new Map(this.#parsed) });
    }, delay_ms);
  }

  /** Stops the runs. Finished runs are kept. */
  cancel(): void {
    if (!this.#running) return;
    this.#running.abort();
    this.#running = null;
    this.store.setState({ progress: null, message: words.CANCELLED });
    this.#publish(0);
  }

  /** Deletes the results of the shown sweep. */
  async forget(): Promise<void> {
    this.cancel();
    const keys = this.store.getState().plan?.jobs.map(({ key }) => key) ?? [];
    for (const key of keys) {
      this.#texts.delete(key);
      this.#parsed.delete(key);
    }
    await this.#kept.forget(keys);
    this.store.setState({ results: new Map(this.#parsed), message: words.FORGOTTEN });
  }

  /** The lines of the finished runs, as `mmscope sweep` writes them. */
  async lines(): Promise<string> {
    const { plan, definition } = this.store.getState();
    if (!plan || !definition) return "";
    const file = fileOf(definition);
    const ended = plan.jobs.flatMap((job): EndedJob[] => {
      const result = this.#texts.get(job.key);
      return result === undefined ? [] : [{ ...job, result }];
    });
    let text = "";
    for (let from = 0; from < ended.length; from += BATCH) {
      text += await sweepLines(this.#reader, file, ended.slice(from, from + BATCH));
    }
    return text;
  }

  /** The experiment of a run, as canonical JSON. */
  experiment(axes: AxisValues): Promise<string> {
    const { definition } = this.store.getState();
    if (!definition) return Promise.reject(new Error("no sweep is shown"));
    return sweepExperiment(this.#reader, fileOf(definition), axes);
  }

  /** Stops the runs and closes the storage. */
  dispose(): void {
    this.cancel();
    this.#checks.stop();
    clearTimeout(this.#timer);
    this.#reader.dispose?.();
    this.#database.close();
    this.#kept.close();
    this.#history.dispose();
  }
}

/** The values of some axes in words. */
export const axesWords = (axes: AxisValues): string =>
  Object.entries(axes)
    .map(([path, value]) => `${axisWords(path)} ${valueWords(path, value)}`)
    .join(", ");

function memoryOf({ experiment }: Definition): number {
  const id = typeof experiment === "string" ? experiment : String(experiment.id ?? "");
  const cost = COSTS[id];
  if (cost) return cost.memory_mib;
  return id.includes(".teach") ? USUAL_MIB : LARGE_MIB;
}

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
