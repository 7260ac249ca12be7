// Results of reports, which the browser stores over a reload. A run depends on its experiment,
// kernel, seed and engine: equal ones give equal numbers. Storage may be forbidden or full. Then a
// result lasts for the visit, and the page says so.

import { Database, type StoredRun } from "../../keep/database";
import type { Result } from "./controller";

/** The identity of a run. */
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

/** Reads a stored result; null if it has another form. */
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

/** The store of one page. */
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
    const runs = await this.#database.runs().catch(() => null);
    if (!runs) return null;
    const found = new Map<string, Result>();
    for (const run of runs) {
      const result = readResult(run.result);
      if (run.experiment === experiment && run.id.endsWith(` ${engine}`) && result) {
        found.set(run.kernel, result);
      }
    }
    return found;
  }

  /**
   * Stores a run in place of earlier ones of the same experiment and kernel; returns whether it
   * succeeded.
   */
  async keep(run: RunOf, result: Result): Promise<boolean> {
    if (!this.#isKeeping) return false;
    const { experiment, kernel } = run;
    const id = runId(run);
    try {
      const all = await this.#database.runs();
      const isSame = (old: StoredRun) => old.experiment === experiment && old.kernel === kernel;
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
      const all = await this.#database.runs();
      const mine = all.filter((run) => run.experiment === experiment);
      await this.#database.changeRuns({ remove: mine.map(({ id }) => id) });
      return true;
    } catch {
      return false;
    }
  }
}
