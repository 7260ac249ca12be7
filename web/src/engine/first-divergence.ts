// Runs one experiment on two kernels in lock-step until the runs first differ. The page's worker
// and the tests drive the same code.

import type { DivergenceView, Engine, ProgramPointView } from "./pkg/mmscope";
import type { Catalog } from "./types";

/** A program point as text. */
export interface ProgramPoint {
  /** The task's id. */
  readonly task: number;
  /** "kswapd0". */
  readonly name: string;
  /** The kernel function, and its file if it has one. */
  readonly function: string;
  readonly file: string;
  readonly line: string;
}

/** One of the two runs at the point where they diverge. */
export interface DivergedRun {
  readonly time_ns: number;
  /** State hash; null while the runs are equal and continue. */
  readonly hash: string | null;
  /** The point that the run executes next; null once the run has ended. */
  readonly next: ProgramPoint | null;
}

/** Two runs side by side. */
export interface RunComparison {
  readonly outcome: DivergenceView["outcome"];
  /** The number of points that both runs have executed identically. */
  readonly step: number;
  /** The last of these points; null before the first. */
  readonly last: ProgramPoint | null;
  readonly runs: readonly DivergedRun[];
}

/** Points of one call. */
const CHUNK = 20_000;

/** Boots two experiments and runs both. Yields the position every few milliseconds. */
export function* compareRuns(
  engine: Engine,
  [first, second]: readonly [string, string],
  catalog: Catalog,
): Generator<RunComparison, RunComparison> {
  engine.compare(first, second);
  for (;;) {
    const comparison = inWords(engine.compare_more(CHUNK), catalog);
    if (comparison.outcome !== "equal") return comparison;
    yield comparison;
  }
}

const inWords = (
  { outcome, step, last, runs }: DivergenceView,
  catalog: Catalog,
): RunComparison => ({
  outcome,
  step,
  last: placeOf(last, catalog),
  runs: runs.map(({ time_ns, hash, next }) => ({
    time_ns,
    hash,
    next: placeOf(next, catalog),
  })),
});

function placeOf(view: ProgramPointView | null, { functions }: Catalog): ProgramPoint | null {
  if (!view) return null;
  const { name = "", file = "", lines = [] } = functions[view.function] ?? {};
  const line = lines[view.line]?.text ?? "";
  return { task: view.task, name: view.name, function: name, file, line };
}
