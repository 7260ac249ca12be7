// The simulation of a published table: the chosen size, the progress of the runs, and their
// results. Kernels run in parallel if the machine allows it (`runs/pool.ts`), and appear in the table's
// order. Components call these actions and read the store.

import { createStore, type StoreApi } from "zustand/vanilla";
import { engineBuild } from "../../engine/build";
import { counted } from "../../engine/format";
import { forgetImages, storedImages } from "../../engine/image";
import { type Heard, LastAsked } from "../../engine/last-asked";
import { loadReporter } from "../../engine/load-report";
import type { MeasureClient, MeasureEngine } from "../../engine/measure-client";
import {
  type Compared,
  type Reporter,
  type RunReport,
  type Scoring,
  scoreOf,
} from "../../engine/report";
import { RunHistory } from "../../keep/history";
import {
  comparedRows,
  type FullResult,
  type FullRun,
  fullResults,
  joinedReport,
} from "../../lessons/full-size";
import { experimentsOf, isModelled, type Size, sizeOf } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { COSTS, memoryOf, slowOf, USUAL_SPEED } from "../../runs/cost";
import { NotStartedError, PRIORITY, type RunPool, sharedPool } from "../../runs/pool";
import { imageOf, KeptResults, type Result, type RunOf, runId } from "../../runs/results";
import { thisVisit, type Visit } from "../../runs/visit";
import { experimentIn } from "./columns";
import { costOf } from "./experiments";
import { foretold, leftOf, steady } from "./left";
import { pastRunOf, proofsOf, type RunOfFile } from "./proofs";
import { firstSize, isSpokenOf } from "./sizes";

/** Where results are stored: beyond the next reload, for this visit only, or not at all. */
type Keeping = "kept" | "visit" | "none";

/** One of the requested kernels, from the press of the button until all have ended. */
export interface Running {
  readonly kernel: string;
  /** A waiting kernel waits for a worker, or to be run again alone. */
  readonly doing: "waits" | "runs" | "done";
  readonly time_ns: number;
  /** The part that is done, if known before the end. */
  readonly share: number | null;
  /** The remaining time, s; null if unknown. */
  readonly left_s: number | null;
  /** The values of {@link LIVE}. */
  readonly counters: readonly number[];
}

const WAITS = { doing: "waits", time_ns: 0, share: null, left_s: null, counters: [] } as const;

/** An interrupted kernel that can be continued. */
export interface Begun {
  readonly kernel: string;
  readonly time_ns: number;
  /** The part that is done, if known. */
  readonly share: number | null;
  /** When its state was saved, ms since 1970, and the size in bytes. */
  readonly kept_ms: number;
  readonly bytes: number;
}

/**
 * A table at its published size: for each kernel the run made here, otherwise the committed one.
 */
interface Standing {
  readonly rows: readonly Compared[];
  readonly results: Readonly<Record<string, RunReport>>;
  /** Null until the baseline and another kernel have results. */
  readonly scoring: Scoring | null;
  /** The kernels that were run here, in the table's order. */
  readonly here: readonly string[];
}

/** The state of a table. */
export interface ReportState {
  readonly standing: Standing;
  /** The size at which kernels are run here. */
  readonly size: Size;
  /** By kernel, for the chosen size. */
  readonly results: Readonly<Record<string, Result>>;
  /** In the table's order; null while nothing runs. */
  readonly running: readonly Running[] | null;
  /** The remaining time of all runs, s; null if unknown. */
  readonly left_s: number | null;
  readonly rows: readonly Compared[];
  /** Interrupted kernels without a result, in the table's order. */
  readonly begun: readonly Begun[];
  /** Null until the baseline and another kernel have run. */
  readonly scoring: Scoring | null;
  /** The reason why the runs ended early. */
  readonly message: string | null;
  readonly keeping: Keeping;
}

/** Counters shown during a run, with their names for people. */
export const LIVE: readonly (readonly [counter: string, words: string])[] = [
  ["pgscan_direct", "scanned in direct reclaim"],
  ["pgscan_kswapd", "scanned by kswapd"],
  ["pgpgout", "KiB written"],
];

/** Shorter runs do not show the speed, ms. */
const TELLING_MS = 500;
/** Shown after an interruption, until the state of the runs is saved. */
const PUTTING_AWAY = " Saving the progress of the others …";

/** The controller of one table. */
export class ReportController {
  readonly store: StoreApi<ReportState>;
  readonly table: PublishedTable;
  /** The committed full-size results, by kernel. */
  readonly committed: Readonly<Record<string, FullResult>>;
  /** The results and measurements of this visit. */
  readonly visit: Visit;
  readonly #pool: RunPool;
  readonly #load: () => Promise<Reporter>;
  readonly #store: KeptResults;
  /** Each run is also added to the user's runs. */
  readonly #history = new RunHistory();
  /** Reads from the browser's storage and deletions there. */
  readonly #recalled = new LastAsked();
  readonly #shown = new LastAsked();
  readonly #runs = new LastAsked();
  /** Stores results and interrupted runs, if the browser allows it. */
  readonly keeps: boolean;
  /** Resolves when the runs have ended and interrupted ones are saved; null while nothing runs. */
  #ending: Promise<unknown> | null = null;
  /** The remaining time, smoothed. */
  #steady = steady();

  constructor(
    table: PublishedTable,
    {
      pool = sharedPool,
      visit = thisVisit,
      load = loadReporter,
      keeps = true,
      committed = [] as readonly FullRun[],
    } = {},
  ) {
    this.committed = fullResults(table, committed);
    this.#store = new KeptResults(keeps);
    this.keeps = keeps;
    this.table = table;
    this.#pool = pool;
    this.visit = visit;
    this.#load = load;
    const size = firstSize(table, this.wait_s("full", table.kernels.length));
    this.store = createStore<ReportState>(() => ({
      standing: this.#standing(null),
      size,
      results: {},
      running: null,
      left_s: null,
      rows: spokenRows(table, {}, size),
      begun: [],
      scoring: null,
      message: null,
      keeping: "none",
    }));
    void this.#show();
    void this.#recalled.ask((heard) => this.#recall(heard));
  }

  /** Loads the results that earlier visits stored. */
  async #recall(heard: Heard): Promise<void> {
    for (const id of [
      ...experimentsOf(this.table, "teach"),
      ...experimentsOf(this.table, "full"),
    ]) {
      const found = await heard(this.#store.of(id, engineBuild));
      if (!found) continue;
      for (const kernel of this.table.kernels) {
        const key = `${id} ${kernel}`;
        const result = found.get(kernel);
        if (result && !this.visit.results.has(key)) this.visit.results.set(key, result);
        // A result that was stored and has disappeared was deleted in the library.
        if (!result && this.visit.stored.delete(key)) this.visit.results.delete(key);
        if (result) this.visit.stored.add(key);
      }
    }
    if (this.keeps) {
      // An interrupted run can be continued only by the same engine build.
      await heard(forgetImages((id) => imageOf(id).engine !== engineBuild));
      this.visit.images = await heard(storedImages());
    }
    await this.#show();
  }

  /** Deletes the results of the chosen size, here and in the browser's storage. */
  forget(): Promise<void> {
    return this.#recalled.ask(async (heard) => {
      let isDone = true;
      const ids = experimentsOf(this.table, this.store.getState().size);
      await heard(forgetImages((id) => ids.includes(imageOf(id).experiment)));
      for (const id of ids) {
        for (const kernel of this.table.kernels) this.visit.results.delete(`${id} ${kernel}`);
        this.visit.refused.delete(id);
        isDone = (await heard(this.#store.forget(id))) && isDone;
      }
      const message = isDone
        ? "Forgotten."
        : "Deleted on this page, but the browser's storage does not respond.";
      this.store.setState({ message });
      // A read that was in progress may have loaded deleted results: read again.
      await this.#recall(heard);
    });
  }

  /** Ends the measuring workers. */
  dispose() {
    for (const asked of [this.#recalled, this.#shown, this.#runs]) asked.stop();
    this.#store.close();
    this.#history.dispose();
  }

  /** Chooses a size; interrupts the runs. */
  choose(size: Size) {
    this.cancel();
    this.store.setState({ size, message: null });
    void this.#show();
  }

  /** Interrupts the runs. Finished kernels stay; the state of the others is saved. */
  cancel() {
    const { running, size } = this.store.getState();
    if (!running) return;
    this.#runs.stop();
    const { kernels } = this.table;
    const done = kernels.filter((kernel) => this.#resultOf(kernel, size)).length;
    const message = `Cancelled: ${done} of ${counted(kernels.length, "kernel")} finished, and the page keeps their results.`;
    const ending = this.#ending;
    const isPuttingAway = this.keeps && ending !== null;
    this.store.setState({ running: null, message: message + (isPuttingAway ? PUTTING_AWAY : "") });
    void this.#recalled.ask(async (heard) => {
      if (ending) await heard(ending);
      if (this.store.getState().message === message + PUTTING_AWAY) {
        this.store.setState({ message });
      }
      await this.#recall(heard);
    });
  }

  /** How many kernels run in parallel at a size. */
  lanes(size: Size, kernels: number): number {
    const each = Math.max(...experimentsOf(this.table, size).map(memoryOf));
    return this.#pool.width(kernels, each);
  }

  /** The expected time for some kernels at a size, s; null if unknown. */
  wait_s(size: Size, kernels: number): number | null {
    const cost = costOf(this.table, size);
    const rounds = Math.ceil(kernels / this.lanes(size, kernels));
    return cost ? (rounds * slowOf(cost)) / (this.visit.speed(size) ?? USUAL_SPEED) : null;
  }

  /** Runs the kernels without a result, or all of them if none is missing. */
  async run(): Promise<void> {
    const { size, results, running } = this.store.getState();
    if (running) return;
    const kernels = this.table.kernels.filter(isModelled);
    const isAgain = kernels.every((kernel) => results[kernel]);
    const jobs = kernels.filter((kernel) => isAgain || !results[kernel]);
    const waiting = jobs.map((kernel) => ({ kernel, ...WAITS }));
    this.store.setState({ message: null, running: waiting, left_s: null });
    this.#steady = steady();
    await this.#runs.ask(async (heard, signal) => {
      // An interrupted run may still be saving the state from which this one continues.
      if (this.#ending) await heard(this.#ending);
      const ids = experimentsOf(this.table, size);
      const left = (kernel: string) =>
        ids.filter((id) => isAgain || !this.visit.results.has(`${id} ${kernel}`));
      const runs = jobs.map((kernel) =>
        this.#pool.add({
          memory_mib: Math.max(...ids.map(memoryOf)),
          priority: PRIORITY.foreground,
          signal,
          postponed: () => this.#tell(kernel, WAITS, signal),
          work: async (client, engine) => {
            for (const id of left(kernel)) await this.#runOne(kernel, id, client, engine, signal);
            this.#tell(kernel, { doing: "done", share: 1 }, signal);
          },
        }),
      );
      const settled = Promise.allSettled(runs);
      const ending = settled.then(() => {
        if (this.#ending === ending) this.#ending = null;
      });
      this.#ending = ending;
      const message = failureWords(jobs, await heard(settled));
      this.store.setState({ message, running: null });
    });
  }

  /** Updates the progress of a kernel. */
  #tell(kernel: string, now: Partial<Running>, signal: AbortSignal) {
    if (signal.aborted) return;
    const { running: before, size } = this.store.getState();
    const running =
      before?.map((each) => (each.kernel === kernel ? { ...each, ...now } : each)) ?? null;
    const left_s = running && leftOf(running, this.lanes(size, running.length));
    this.store.setState({ running, left_s: this.#steady(left_s) });
  }

  async #runOne(
    kernel: string,
    id: string,
    client: MeasureClient,
    { presets, version }: MeasureEngine,
    signal: AbortSignal,
  ): Promise<void> {
    const shareOf = this.#sharesOf(id);
    this.#tell(kernel, { ...WAITS, doing: "runs", share: shareOf(0) }, signal);
    const preset = presets[id];
    if (preset === undefined) throw new Error(`there is no experiment ${id}`);
    const of = experimentIn(preset, kernel);
    const run = { experiment: id, kernel, seed: of.seed, engine: engineBuild };
    const began = performance.now();
    const left = foretold(this.#wholeOf(id));
    const measured = await client.measure(
      {
        experiment: JSON.stringify(of),
        moments: [{ kind: "end" }],
        rows: true,
        counters: LIVE.map(([name]) => name),
        keep: this.keeps ? runId(run) : undefined,
      },
      {
        signal,
        // Skips updates that the user would not notice.
        progress: ({ step, time_ns }, counters) => {
          if (!counters) return;
          const share = shareOf(step);
          this.#tell(kernel, { time_ns, share, left_s: left(share), counters }, signal);
        },
      },
    );
    if (measured.kind === "refused") {
      const [first] = measured.refusals;
      throw new Error(`the engine cannot run ${id}: ${first?.reason ?? "it is refused"}`);
    }
    const [end] = measured.snapshots;
    if (!measured.report || !end) throw new Error(`${id} produced no rows`);
    const { position, panic, counters } = end.view;
    const proof = {
      experiment: measured.experiment,
      version,
      build: engineBuild,
      position,
      hash: end.hash,
      panic: panic ?? null,
      counters,
      restsOn: measured.restsOn,
    };
    await this.#keep(run, {
      ...measured.report,
      proof,
      points: position.step,
      time_ns: position.time_ns,
      waited_ms: measured.waited_ms ?? performance.now() - began,
    });
    this.#tell(kernel, { time_ns: position.time_ns }, signal);
  }

  /** The runs of this table that were made in this browser, with all that is needed to repeat them. */
  proofs(): readonly RunOfFile[] {
    return proofsOf(this.table, this.visit);
  }

  /** The result of a kernel when all of its experiments have run. */
  #resultOf(kernel: string, size: Size): Result | null {
    const runs: Result[] = [];
    for (const id of experimentsOf(this.table, size)) {
      const run = this.visit.results.get(`${id} ${kernel}`);
      if (!run) return null;
      runs.push(run);
    }
    return joined(this.table, size, runs);
  }

  async #keep(run: RunOf, told: Omit<Result, "run_ms">): Promise<void> {
    const { experiment: id, kernel } = run;
    const result = { ...told, run_ms: Date.now() };
    this.visit.results.set(`${id} ${kernel}`, result);
    if (await this.#store.keep(run, result)) this.visit.stored.add(`${id} ${kernel}`);
    else this.visit.refused.add(id);
    if (this.keeps) {
      await forgetImages((image) => image === runId(run));
      if (result.proof) await this.#history.add(pastRunOf(this.table, run, result, result.proof));
    }
    const cost = COSTS[id];
    const part = cost ? slowOf(cost) / cost.points : 1;
    if (told.waited_ms > TELLING_MS) {
      this.visit.addSpeed(sizeOf(id), ((part * told.points) / told.waited_ms) * 1000);
    }
    await this.#show();
  }

  /**
   * The part of a run that is done: of the last kernel's steps, or of the steps counted earlier.
   */
  #sharesOf(id: string): (step: number) => number | null {
    const last = this.table.kernels.findLast((kernel) => this.visit.results.has(`${id} ${kernel}`));
    const known = last === undefined ? undefined : this.visit.results.get(`${id} ${last}`)?.points;
    const points = known ?? COSTS[id]?.points;
    return (step) => (points === undefined ? null : Math.min(0.99, step / points));
  }

  /** The expected length of a run, s; null if its steps were never counted. */
  #wholeOf(id: string): number | null {
    const cost = COSTS[id];
    return cost ? slowOf(cost) / (this.visit.speed(sizeOf(id)) ?? USUAL_SPEED) : null;
  }

  /** Runs that were interrupted at a size and have not finished since. */
  #begun(size: Size): readonly Begun[] {
    const ids = experimentsOf(this.table, size);
    return this.table.kernels.flatMap((kernel) => {
      const image = this.visit.images.find(({ id }) => {
        const of = imageOf(id);
        return of.engine === engineBuild && of.kernel === kernel && ids.includes(of.experiment);
      });
      if (!image || this.#resultOf(kernel, size)) return [];
      const { position, kept_ms } = image.head;
      const share = this.#sharesOf(imageOf(image.id).experiment)(position.step);
      return [{ kernel, time_ns: position.time_ns, share, kept_ms, bytes: image.bytes }];
    });
  }

  /** Shows the stored results of the chosen size, scored if there is something to compare. */
  #show(): Promise<void> {
    return this.#shown.ask(async (heard) => {
      const { size } = this.store.getState();
      const results: Record<string, Result> = {};
      for (const kernel of this.table.kernels) {
        const result = this.#resultOf(kernel, size);
        if (result) results[kernel] = result;
      }
      const rows = spokenRows(this.table, results, size);
      // If no engine loads, committed values are shown without scores.
      const isScored = this.#isScored(this.#standing(null).results) || this.#isScored(results);
      const reporter = isScored ? await heard(this.#load().catch(() => null)) : null;
      const scoring = reporter && this.#isScored(results) ? scoreOf(reporter, rows) : null;
      const isAny = Object.keys(results).length > 0;
      const keeping = !isAny
        ? "none"
        : experimentsOf(this.table, size).some((id) => this.visit.refused.has(id))
          ? "visit"
          : "kept";
      const standing = this.#standing(reporter);
      this.store.setState({ results, rows, scoring, keeping, standing, begun: this.#begun(size) });
    });
  }

  /** Is there something to compare: the baseline and another kernel? */
  #isScored(results: Readonly<Record<string, unknown>>): boolean {
    const [baseline = "", ...others] = this.table.kernels;
    return results[baseline] !== undefined && others.some((kernel) => results[kernel]);
  }

  /** The table at its published size with its present results; scored if there is a reporter. */
  #standing(reporter: Reporter | null): Standing {
    const results: Record<string, RunReport> = {};
    const here: string[] = [];
    for (const kernel of this.table.kernels) {
      const own = this.#resultOf(kernel, "full");
      const result = own ?? this.committed[kernel];
      if (result) results[kernel] = result;
      if (own) here.push(kernel);
    }
    const rows = comparedRows(this.table, results);
    const scoring = reporter && this.#isScored(results) ? scoreOf(reporter, rows) : null;
    return { rows, results, scoring, here };
  }
}

/** Joins the runs of a table's experiments in order: from each run the rows that it reports. */
function joined(table: PublishedTable, size: Size, runs: readonly Result[]): Result | null {
  const [first, ...others] = runs;
  if (!first || others.length === 0) return first ?? null;
  const sum = (of: (run: Result) => number) => runs.reduce((all, run) => all + of(run), 0);
  return {
    ...joinedReport(table, size, runs),
    time_ns: sum(({ time_ns }) => time_ns),
    points: sum(({ points }) => points),
    waited_ms: sum(({ waited_ms }) => waited_ms),
    run_ms: Math.max(...runs.map(({ run_ms }) => run_ms)),
  };
}

/** The reason why kernels gave no result; null if all have one. */
function failureWords(
  kernels: readonly string[],
  runs: readonly PromiseSettledResult<void>[],
): string | null {
  const reasons = runs.map((run) => (run.status === "rejected" ? run.reason : null));
  const notStarted = reasons.find((reason) => reason instanceof NotStartedError);
  if (notStarted) return wordsOf(notStarted);
  const each = kernels.flatMap((kernel, i) =>
    reasons[i] ? [`${kernel} stopped: ${wordsOf(reasons[i])}.`] : [],
  );
  return each.join(" ") || null;
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The rows of a table that can be compared at a size, with the values of finished kernels. */
const spokenRows = (
  table: PublishedTable,
  results: Readonly<Record<string, Pick<Result, "rows">>>,
  size: Size,
): readonly Compared[] =>
  comparedRows({ ...table, rows: table.rows.filter(isSpokenOf(table, size)) }, results);
