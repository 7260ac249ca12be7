// The comparison of the engine with real kernels and published tables. `mmscope truth` makes it by
// running them; it stands beside index.html.

import { once } from "./once";

/** Which engine made something. */
interface EngineMark {
  readonly version: string;
  /** Changes when recorded runs come out differently. */
  readonly behaviour: string;
}

/** What was compared of a kernel's marks and per-cpu lists. */
export interface MarksRow {
  /** Kernel, architecture, page size. */
  readonly kernel: string;
  readonly cases: number;
  readonly zones: number;
  readonly lists: number;
  /** What came out differently. */
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

/** A counter of /proc/vmstat, what it moved by in both runs. */
export interface CounterRow {
  readonly name: string;
  readonly real: number;
  /** Null where the engine does not know it. */
  readonly simulated: number | null;
  readonly ratio: number | null;
  /** The mechanism it counts, where the engine has none. */
  readonly absent?: string;
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
  /** Counters the real run moved by more than 1,000, those of absent mechanisms aside. */
  readonly large: number;
  /** Those of them within a factor of 1.5. */
  readonly near: number;
  readonly counters: readonly CounterRow[];
}

/** A captured run that is not repeated, and why. */
export interface NotRun {
  readonly name: string;
  readonly not_run: string;
}

/** How a table's cells came out. */
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

/** How far an experiment's run went with a kernel. */
interface RunLength {
  readonly experiment: string;
  readonly kernel: string;
  readonly steps: number;
  readonly time_ns: number;
}

/** All of it. */
export interface Truth {
  readonly engine: EngineMark;
  readonly marks: readonly MarksRow[];
  readonly machines: readonly MachineRow[];
  readonly twins: readonly (TwinRow | NotRun)[];
  readonly teaching: ScoredTables & { readonly runs: readonly RunLength[] };
}

let load = once(fetchTruth);

/**
 * Loads it.
 * @returns null where it has not been made yet: `npm start` makes it while the page is served already
 */
export const loadTruth = (): Promise<Truth | null> => load();

/** The next caller loads it again. */
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
