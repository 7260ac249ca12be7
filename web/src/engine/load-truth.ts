// Loads the comparison of the engine with real kernels and published tables. `mmscope truth` makes
// it by running them and writes it next to index.html.

import { once } from "./once";

/** The engine that made a result. */
interface EngineMark {
  readonly version: string;
  /** Changes when the results of recorded runs change. */
  readonly behaviour: string;
}

/** The compared watermarks and per-cpu lists of a kernel. */
export interface MarksRow {
  /** Kernel, architecture, page size. */
  readonly kernel: string;
  readonly cases: number;
  readonly zones: number;
  readonly lists: number;
  /** The values that differ. */
  readonly differ: readonly string[];
}

/** A machine as a kernel printed it at boot. */
export interface MachineRow {
  readonly name: string;
  readonly kernel: string;
  readonly zones: number;
  readonly differ: readonly {
    readonly node: number;
    readonly zone: string;
    readonly why: readonly {
      readonly what: string;
      readonly dump: number;
      readonly computed: number;
      readonly reason: string;
    }[];
  }[];
}

/** A counter of /proc/vmstat and its change in both runs. */
export interface CounterRow {
  readonly name: string;
  readonly real: number;
  /** Null if the engine does not compute it. */
  readonly simulated: number | null;
  readonly ratio: number | null;
  /** The mechanism that the counter belongs to, if the engine lacks it. */
  readonly absent?: string;
}

/** A row of a file of a memory cgroup in both runs. */
export interface CgroupRow {
  readonly cgroup: string;
  readonly name: string;
  /** Events must be equal; sizes are pages just before the end. */
  readonly kind: "event" | "count" | "size";
  readonly real: number;
  /** Null if the engine does not have the row. */
  readonly simulated: number | null;
}

/** A captured run that was repeated. */
export interface TwinRow {
  readonly name: string;
  readonly release: string;
  readonly kernel: string;
  readonly workload: string;
  readonly assumed: readonly string[];
  readonly finished: boolean;
  readonly seconds: { readonly real: number | null; readonly simulated: number };
  /** Counters that the real run changed by more than 1,000, without those of absent mechanisms. */
  readonly large: number;
  /** How many of them agree within a factor of 1.5. */
  readonly near: number;
  readonly score: CounterScore;
  readonly counters: readonly CounterRow[];
  /** Pages by generation at the end; no rows without the multi-generational LRU, absent in older files. */
  readonly generations?: {
    readonly rows: readonly GenerationRow[];
    /** Counts that are large enough to be compared. */
    readonly large: number;
    /** How many of them agree within a factor of two. */
    readonly near: number;
  };
  /** What memory cgroups counted; no rows if the workload has none, absent in older files. */
  readonly cgroups?: {
    readonly rows: readonly CgroupRow[];
    readonly near: number;
    readonly judged: number;
  };
}

/** The pages of a generation in both runs, anonymous and file. */
export interface GenerationRow {
  readonly node: number;
  /** 0 for the youngest generation. */
  readonly from_youngest: number;
  readonly real: readonly [number, number];
  readonly simulated: readonly [number, number];
}

/** The error of the engine over counters of real kernels (`engine/capture/src/score.rs` has the rule). */
interface CounterScore {
  readonly counters: number;
  /** Counters of absent mechanisms, which are not scored. */
  readonly absent: number;
  /** Mean of |simulated - real| / |real|, each at most 1. */
  readonly mean: number | null;
  readonly median: number | null;
}

/** A captured run that is not repeated, and the reason. */
export interface NotRun {
  readonly name: string;
  readonly not_run: string;
}

/** The result of a table's cell. */
type Cell =
  | "baseline"
  | "missing"
  | "noise"
  | "unscored"
  | {
      readonly published: string;
      readonly simulated: string;
      readonly agrees: boolean;
      readonly ratio: number | null;
    };

/** Published tables, run and scored. */
export interface ScoredTables {
  readonly engine: EngineMark;
  readonly tables: readonly {
    readonly id: string;
    readonly rows: readonly { readonly metric: string; readonly cells: readonly Cell[] }[];
  }[];
  readonly scores: {
    readonly scored: number;
    readonly agree: number;
    readonly moving: number;
    readonly moving_agree: number;
    readonly ratio: number;
    readonly within2: number;
  };
}

/** How far an experiment was run on a kernel. */
interface RunLength {
  readonly experiment: string;
  readonly kernel: string;
  readonly steps: number;
  readonly time_ns: number;
}

/** The whole comparison. */
export interface Truth {
  readonly engine: EngineMark;
  readonly marks: readonly MarksRow[];
  readonly machines: readonly MachineRow[];
  readonly twins: readonly (TwinRow | NotRun)[];
  readonly twins_score: {
    readonly all: CounterScore;
    readonly by_kernel: readonly (CounterScore & { readonly kernel: string })[];
  };
  readonly teaching: ScoredTables & { readonly runs: readonly RunLength[] };
}

let load = once(fetchTruth);

/**
 * Loads the comparison.
 * @returns null while it does not exist yet: `npm start` makes it while the page is already served
 */
export const loadTruth = (): Promise<Truth | null> => load();

/** Clears the cache, so that the next caller loads the comparison again. */
export function forgetTruth(): void {
  load = once(fetchTruth);
}

async function fetchTruth(): Promise<Truth | null> {
  const response = await fetch(new URL("truth.json", document.baseURI));
  if (response.status === 404) return null;
  if (!response.ok)
    throw new Error(`The comparison with real kernels did not load (${response.status}).`);
  return response.json();
}
