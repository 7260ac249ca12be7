// A pool of measuring workers for all pages. Its size follows from the machine's CPUs and memory. A
// worker that does not start, or fails while others run, may have run out of memory. Its job is run
// again alone, after the others have ended and freed their memory. A job that fails alone has
// failed. Workers end when no job is left.

import { MeasureClient, type MeasureEngine, startMeasure } from "../engine/measure-client";
import { markParallel, resourcesHere, widthFor } from "./machine-resources";

/** Work in a worker whose engine has started. */
type Work<T> = (client: MeasureClient, engine: MeasureEngine) => Promise<T>;

/** A run to be done. */
export interface Job<T> {
  readonly work: Work<T>;
  /** Memory of the job's worker at the end, MiB. */
  readonly memory_mib: number;
  /**
   * Jobs with a higher priority start first; jobs of equal priority start in the order of their
   * arrival.
   */
  readonly priority?: number;
  /** Removes a waiting job. A running one must end its work itself. */
  readonly signal?: AbortSignal;
  /** Called when the job will be run again, alone. */
  readonly postponed?: () => void;
}

/** No worker starts. */
export class NotStartedError extends Error {}

/** Priorities of jobs. */
export const PRIORITY = { background: 0, foreground: 1 } as const;

interface Queued {
  readonly job: Job<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it failed while others ran. */
  isAlone: boolean;
  /** Whether another worker existed while this job ran. */
  hadCompany: boolean;
}

/** One worker. */
interface Lane {
  readonly client: MeasureClient;
  running: Queued | null;
  /** Its engine has started. */
  isReady: boolean;
  /** Whether it was started while others ran. */
  hadCompany: boolean;
}

/** The pool. */
export class RunPool {
  readonly #start: typeof startMeasure;
  readonly #resources: typeof resourcesHere;
  readonly #lanes = new Set<Lane>();
  #queue: Queued[] = [];
  #unmark: (() => void) | null = null;
  /** Whether a worker did not start while others ran. */
  #isNarrow = false;

  constructor({ start = startMeasure, resources = resourcesHere } = {}) {
    this.#start = start;
    this.#resources = resources;
  }

  /** How many runs go in parallel, if each needs this much memory. */
  width(runs: number, each_mib: number): number {
    return widthFor(runs, each_mib, this.#resources());
  }

  /**
   * Runs a job when its turn comes. Rejects with the job's error, with the reason why no worker
   * starts, or with an AbortError if it was removed before its start.
   */
  add<T>(job: Job<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const queued: Queued = {
        job,
        resolve: resolve as (result: unknown) => void,
        reject,
        isAlone: false,
        hadCompany: false,
      };
      if (job.signal?.aborted) return reject(aborted());
      job.signal?.addEventListener("abort", () => this.#remove(queued), { once: true });
      this.#enqueue(queued);
      // All jobs of one turn are known before the pool decides how many workers it needs.
      queueMicrotask(() => this.#widen());
    });
  }

  #enqueue(queued: Queued) {
    const priority = ({ job, isAlone }: Queued) => (isAlone ? -1 : 0) + (job.priority ?? 0) * 2;
    const place = this.#queue.findIndex((other) => priority(other) < priority(queued));
    this.#queue.splice(place < 0 ? this.#queue.length : place, 0, queued);
  }

  #remove(queued: Queued) {
    if (!this.#queue.includes(queued)) return;
    this.#queue = this.#queue.filter((other) => other !== queued);
    queued.reject(aborted());
    if (this.#queue.length > 0) return;
    // Workers that are still loading have nothing to do any more.
    for (const lane of this.#lanes) if (!lane.isReady) this.#close(lane);
  }

  /** Starts as many workers as the waiting jobs can use. */
  #widen() {
    const running = [...this.#lanes].flatMap((lane) => lane.running ?? []);
    const open = this.#queue.filter(({ isAlone }) => !isAlone);
    const jobs = [...open, ...running];
    const each_mib = Math.max(1, ...jobs.map(({ job }) => job.memory_mib));
    const isOne = this.#isNarrow || running.some(({ isAlone }) => isAlone);
    const width = isOne ? 1 : this.width(jobs.length, each_mib);
    while (open.length > 0 && this.#lanes.size < width) this.#open();
    // Jobs that must run alone start when all others have ended.
    if (this.#lanes.size === 0 && this.#queue.length > 0) this.#open();
  }

  #open() {
    const lane: Lane = {
      client: new MeasureClient(this.#start),
      running: null,
      isReady: false,
      hadCompany: this.#lanes.size > 0,
    };
    this.#lanes.add(lane);
    if (this.#lanes.size > 1) {
      this.#unmark ??= markParallel();
      for (const each of this.#lanes) {
        each.hadCompany = true;
        if (each.running) each.running.hadCompany = true;
      }
    }
    void this.#serve(lane).then(
      () => this.#close(lane),
      (error: unknown) => this.#notStarted(lane, error),
    );
  }

  /** Others may have the memory that this worker did not get: tries again with one worker. */
  #notStarted(lane: Lane, error: unknown) {
    if (!lane.hadCompany) {
      const reason = new NotStartedError(error instanceof Error ? error.message : String(error));
      for (const { reject } of this.#queue.splice(0)) reject(reason);
    }
    this.#isNarrow = true;
    this.#close(lane);
  }

  #close(lane: Lane) {
    lane.client.dispose();
    this.#lanes.delete(lane);
    if (this.#lanes.size <= 1) {
      this.#unmark?.();
      this.#unmark = null;
    }
    if (this.#lanes.size > 0) return;
    if (this.#queue.length === 0) this.#isNarrow = false;
    this.#widen();
  }

  /** Runs jobs in a worker until none is left, or one has failed in it. */
  async #serve(lane: Lane): Promise<void> {
    const engine = await lane.client.start();
    lane.isReady = true;
    for (let next = this.#next(lane); next; next = this.#next(lane)) {
      if (!(await this.#run(next, lane, engine))) return;
    }
  }

  /** The next job for a worker. */
  #next(lane: Lane): Queued | null {
    const isOnly = this.#lanes.size === 1;
    const place = this.#queue.findIndex(({ isAlone }) => isOnly || !isAlone);
    const [next] = place < 0 ? [] : this.#queue.splice(place, 1);
    lane.running = next ?? null;
    if (next) next.hadCompany = !isOnly;
    return next ?? null;
  }

  /** Runs a job; returns whether its worker can be used again. */
  async #run(queued: Queued, lane: Lane, engine: MeasureEngine): Promise<boolean> {
    const { job, resolve, reject } = queued;
    try {
      resolve(await job.work(lane.client, engine));
      return true;
    } catch (error) {
      if (job.signal?.aborted) {
        reject(error);
        return true;
      }
      if (!queued.hadCompany) reject(error);
      else {
        queued.isAlone = true;
        this.#enqueue(queued);
        job.postponed?.();
      }
      return false;
    } finally {
      lane.running = null;
    }
  }
}

const aborted = () => new DOMException("cancelled", "AbortError");

/** The pool of this page. */
export const sharedPool = new RunPool();
