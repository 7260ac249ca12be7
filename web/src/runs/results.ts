// Results of runs, which the browser stores beyond a reload. A run depends on its experiment,
// kernel, seed and engine: equal inputs give equal numbers. Storage may be forbidden or full. Then
// a result lasts for the visit, and the page says so.
//
// Runs of reports are found by the id of their experiment and by their kernel, before an engine has
// loaded. All other runs are found by the key of their experiment, which the engine computes.

import type { RunReport } from "../engine/report";
import type { Position, RestsOn } from "../engine/types";
import { Database, type KeyedRun, type StoredRun } from "../keep/database";

/** The data needed to repeat a run and to compare the results. */
export interface RunProof {
  /** The experiment as JSON text. */
  readonly experiment: string;
  /** Version and build of the engine. */
  readonly version: string;
  readonly build: string;
  readonly position: Position;
  readonly hash: string;
  readonly panic: string | null;
  readonly counters: readonly (readonly [name: string, value: number])[];
  /** What the run rests on, by the numbers of this build's catalog; earlier versions did not store it. */
  readonly restsOn?: RestsOn | undefined;
}

/** The result of one run of a report. */
export interface Result extends RunReport {
  /** Earlier versions stored results without it. */
  readonly proof?: RunProof;
  readonly time_ns: number;
  readonly points: number;
  /** The duration of the run for the user, ms. */
  readonly waited_ms: number;
  /** When it was run, ms since 1970. */
  readonly run_ms: number;
}

/** The identity of a run of a report. */
export interface RunOf {
  readonly experiment: string;
  readonly kernel: string;
  readonly seed: number;
  readonly engine: string;
}

/** The key of the store. */
export const runId = ({ experiment, kernel, seed, engine }: RunOf): string =>
  [experiment, kernel, seed, engine].join(" ");

/** The run of a saved state, from its name. */
export function imageOf(id: string): Omit<RunOf, "seed"> {
  const [experiment = "", kernel = "", , engine = ""] = id.split(" ");
  return { experiment, kernel, engine };
}

/** Reads a stored result; null if it has a different format. */
function readResult(value: unknown): Result | null {
  if (typeof value !== "object" || value === null) return null;
  const { rows, delays, time_ns, points, waited_ms, run_ms } = value as Partial<Result>;
  const isWhole =
    Array.isArray(rows) &&
    rows.every((row) => typeof row?.metric === "string") &&
    Array.isArray(delays) &&
    delays.every((each) => Array.isArray(each?.bins) && Array.isArray(each?.coarse)) &&
    [time_ns, points, waited_ms, run_ms].every((number) => Number.isFinite(number));
  return isWhole ? (value as Result) : null;
}

/** The stored results of reports. */
export class KeptResults {
  readonly #database = new Database(() => {});
  readonly #isKeeping: boolean;

  /** With `isKeeping` false it stores nothing, but reads stored results. */
  constructor(isKeeping = true) {
    this.#isKeeping = isKeeping;
  }

  /** Lets other tabs upgrade the store. */
  close() {
    this.#database.close();
  }

  /** The stored results of an experiment and an engine, by kernel; null if they cannot be read. */
  async of(experiment: string, engine: string): Promise<ReadonlyMap<string, Result> | null> {
    const runs = await this.#database.runsOf(experiment).catch(() => null);
    if (!runs) return null;
    const found = new Map<string, Result>();
    for (const run of runs) {
      const result = readResult(run.result);
      if (run.id.endsWith(` ${engine}`) && result) {
        found.set(run.kernel, result);
      }
    }
    return found;
  }

  /**
   * Stores a run and replaces earlier ones of the same experiment and kernel; returns whether it
   * succeeded.
   */
  async keep(run: RunOf, result: Result): Promise<boolean> {
    if (!this.#isKeeping) return false;
    const { experiment, kernel } = run;
    const id = runId(run);
    try {
      const all = await this.#database.runsOf(experiment);
      const isSame = (old: StoredRun) => old.kernel === kernel;
      const remove = all.filter((old) => isSame(old) && old.id !== id).map((old) => old.id);
      const put = [{ id, experiment, kernel, run_ms: result.run_ms, result }];
      await this.#database.changeRuns({ put, remove });
      return true;
    } catch {
      return false;
    }
  }

  /** Deletes the runs of an experiment; returns whether it succeeded. */
  async forget(experiment: string): Promise<boolean> {
    if (!this.#isKeeping) return true;
    try {
      const mine = await this.#database.runsOf(experiment);
      await this.#database.changeRuns({ remove: mine.map(({ id }) => id) });
      return true;
    } catch {
      return false;
    }
  }
}

/** The stored results of runs that are found by the key of their experiment. */
export class KeyedResults {
  readonly #database = new Database(() => {});
  /** The build of the engine: another one may give other results. */
  readonly #build: string;

  constructor(build: string) {
    this.#build = build;
  }

  /** Deletes the results of other builds of the engine; a failure leaves them for the next visit. */
  async removeOld(): Promise<void> {
    await this.#database.removeOtherBuilds(this.#build).catch(() => {});
  }

  /** Lets other tabs upgrade the store. */
  close() {
    this.#database.close();
  }

  /** The results of these experiments that are stored, by key; empty if they cannot be read. */
  async of(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const ids = keys.map((key) => this.#id(key));
    const runs = await this.#database.keyedRuns(ids).catch((): readonly KeyedRun[] => []);
    return new Map(runs.map(({ key, result }) => [key, result]));
  }

  /** Stores results as JSON texts, by key; returns whether it succeeded. */
  async keep(results: ReadonlyMap<string, string>): Promise<boolean> {
    const run_ms = Date.now();
    const runs = [...results].map(([key, result]) => ({ id: this.#id(key), key, run_ms, result }));
    return this.#database.changeKeyedRuns({ put: runs }).then(
      () => true,
      () => false,
    );
  }

  /** Deletes the results of these experiments; returns whether it succeeded. */
  async forget(keys: readonly string[]): Promise<boolean> {
    const remove = keys.map((key) => this.#id(key));
    return this.#database.changeKeyedRuns({ remove }).then(
      () => true,
      () => false,
    );
  }

  #id(key: string): string {
    return `${key} ${this.#build}`;
  }
}
