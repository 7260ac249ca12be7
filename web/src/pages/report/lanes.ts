// Parallel runs, each in its own worker. A worker that does not start, or fails beside others, may
// have run out of memory. Its job is run again alone, after the others have ended and freed their
// memory. A job that fails alone has failed.

import { MeasureClient, type MeasureEngine, type MeasurePort } from "../../engine/measure-client";
import { inTab } from "../../stored";

/** The resources of a machine for runs. */
export interface Room {
  /** CPUs that a page may use; fewer than one count as one. */
  readonly cores: number;
  /** Memory of the whole machine, GiB, as coarse as the browser reports it; null if it does not. */
  readonly memory_gib: number | null;
  /** Parallel runs have ended this page before. */
  readonly isNarrow: boolean;
}

/** More would slow each other down: most tables have three kernels. */
const MOST = 3;
/** The part of a machine's memory that all runs together may use. */
const PART_OF_MEMORY = 1 / 6;
/** The assumed memory if the browser does not report it, GiB. */
const USUAL_GIB = 8;

/** How many runs go in parallel, if each needs this much memory. */
export function lanesFor(runs: number, each_mib: number, room: Room): number {
  if (room.isNarrow) return 1;
  const fitting = ((room.memory_gib ?? USUAL_GIB) * 1024 * PART_OF_MEMORY) / each_mib;
  return Math.max(1, Math.floor(Math.min(runs, MOST, room.cores, fitting)));
}

/** The resources of this machine, as far as the browser reports them. */
export function roomHere(): Room {
  const { hardwareConcurrency: cores = 1, deviceMemory: memory_gib = null } =
    (globalThis.navigator ?? {}) as Partial<Navigator> & { readonly deviceMemory?: number };
  return { cores, memory_gib, isNarrow: hasFallen };
}

/** A key in the tab's storage that exists while parallel runs are going on. */
const MARK = "mmscope.side-by-side";

/** A page that is left removes its mark. A page that the browser ended for its memory cannot. */
const hasFallen = inTab.read(MARK) !== null;

/**
 * Marks that parallel runs are going on, until the returned function is called or the page is left.
 */
function markBeside(): () => void {
  const unmark = () => {
    globalThis.removeEventListener?.("pagehide", unmark);
    inTab.write(MARK, null);
  };
  inTab.write(MARK, "1");
  globalThis.addEventListener?.("pagehide", unmark);
  return unmark;
}

/** Runs a job in the worker of a lane, whose engine has started. */
type Work<Job> = (job: Job, client: MeasureClient, engine: MeasureEngine) => Promise<void>;

/** A job that failed alone. */
export interface Failure<Job> {
  readonly job: Job;
  readonly error: unknown;
}

/** Options for running jobs. */
export interface Lanes<Job> {
  /** How many jobs run in parallel. */
  readonly width: number;
  readonly start: () => MeasurePort;
  readonly work: Work<Job>;
  /** Aborts all jobs. */
  readonly signal: AbortSignal;
  /** Called when a job will be run again, alone. */
  readonly putOff?: (job: Job) => void;
}

/**
 * Runs every job, starting them in order, and returns those that failed. Rejects if it is aborted,
 * or if no worker starts. At the end all of its workers are terminated and their memory is free.
 */
export async function runLanes<Job>(
  jobs: readonly Job[],
  { width, start, work, signal, putOff }: Lanes<Job>,
): Promise<readonly Failure<Job>[]> {
  const waiting = [...jobs];
  const failures: Failure<Job>[] = [];
  /** One worker, until no job is left or a job fails. */
  const lane = async (failed: (job: Job, error: unknown) => void) => {
    const client = new MeasureClient(start);
    try {
      const engine = await unlessBroken(client.start(), signal);
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        const error = await work(job, client, engine).then(
          () => null,
          (reason: unknown) => ({ reason }),
        );
        signal.throwIfAborted();
        if (error) return failed(job, error.reason);
      }
    } finally {
      client.dispose();
    }
  };
  if (width > 1) {
    const again: Job[] = [];
    const unmark = markBeside();
    const beside = Array.from({ length: width }, () =>
      lane((job) => {
        again.push(job);
        putOff?.(job);
      }),
    );
    // A worker that did not start has not taken a job.
    await Promise.allSettled(beside);
    unmark();
    signal.throwIfAborted();
    waiting.push(...again);
  }
  while (waiting.length > 0) await lane((job, error) => failures.push({ job, error }));
  return failures;
}

/** The promise's result, unless the signal aborts first. */
function unlessBroken<T>(coming: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("broken off", "AbortError"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    coming.then(resolve, reject);
  });
}
