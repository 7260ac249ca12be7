// Runs side by side, each in a worker of its own. A worker that does not start, or falls over beside
// others, may only have wanted more memory than there was: what it ran is run again alone, when the
// others have ended and given theirs back. What fails alone has failed.

import { MeasureClient, type MeasureEngine, type MeasurePort } from "../../engine/measure-client";
import { inTab } from "../../stored";

/** What a machine has for runs. */
export interface Room {
  /** CPUs a page may use; fewer than one are one. */
  readonly cores: number;
  /** Memory of the whole machine, GiB, as coarse as the browser tells; null where it does not. */
  readonly memory_gib: number | null;
  /** Side by side has ended this page before. */
  readonly isNarrow: boolean;
}

/** More would be in each other's way: a table has three kernels. */
const MOST = 3;
/** The part of a machine's memory that runs may take together. */
const PART_OF_MEMORY = 1 / 6;
/** What a machine has whose browser does not tell, GiB. */
const USUAL_GIB = 8;

/** How many of some runs go side by side, when each takes so much memory. */
export function lanesFor(runs: number, each_mib: number, room: Room): number {
  if (room.isNarrow) return 1;
  const fitting = ((room.memory_gib ?? USUAL_GIB) * 1024 * PART_OF_MEMORY) / each_mib;
  return Math.max(1, Math.floor(Math.min(runs, MOST, room.cores, fitting)));
}

/** What this machine has, as far as the browser tells. */
export function roomHere(): Room {
  const { hardwareConcurrency: cores = 1, deviceMemory: memory_gib = null } =
    (globalThis.navigator ?? {}) as Partial<Navigator> & { readonly deviceMemory?: number };
  return { cores, memory_gib, isNarrow: hasFallen };
}

/** In the tab's storage as long as runs go side by side. */
const MARK = "mmscope.side-by-side";

/** A page that leaves takes its mark along; one that the browser ended, to have its memory, cannot. */
const hasFallen = inTab.read(MARK) !== null;

/** Marks that runs go side by side, until the answer is called or the page is left. */
function markBeside(): () => void {
  const unmark = () => {
    globalThis.removeEventListener?.("pagehide", unmark);
    inTab.write(MARK, null);
  };
  inTab.write(MARK, "1");
  globalThis.addEventListener?.("pagehide", unmark);
  return unmark;
}

/** What is done for a job in a lane's worker, whose engine has started. */
type Work<Job> = (job: Job, client: MeasureClient, engine: MeasureEngine) => Promise<void>;

/** A job that failed alone. */
export interface Failure<Job> {
  readonly job: Job;
  readonly error: unknown;
}

/** How jobs are run. */
export interface Lanes<Job> {
  /** How many go side by side. */
  readonly width: number;
  readonly start: () => MeasurePort;
  readonly work: Work<Job>;
  /** Breaks all of them off. */
  readonly signal: AbortSignal;
  /** A job is to be run again, alone. */
  readonly putOff?: (job: Job) => void;
}

/**
 * Runs every job, and begins them in their order; says which failed. Fails when it is broken off,
 * and when no worker starts. When it is over all its workers are gone, and their memory with them.
 */
export async function runLanes<Job>(
  jobs: readonly Job[],
  { width, start, work, signal, putOff }: Lanes<Job>,
): Promise<readonly Failure<Job>[]> {
  const waiting = [...jobs];
  const failures: Failure<Job>[] = [];
  /** One worker, until nothing is left for it or it falls over. */
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
    // A worker that did not start has taken no job.
    await Promise.allSettled(beside);
    unmark();
    signal.throwIfAborted();
    waiting.push(...again);
  }
  while (waiting.length > 0) await lane((job, error) => failures.push({ job, error }));
  return failures;
}

/** What is waited for, unless it is broken off before it comes. */
function unlessBroken<T>(coming: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("broken off", "AbortError"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    coming.then(resolve, reject);
  });
}
