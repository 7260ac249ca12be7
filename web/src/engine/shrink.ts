// Searches for the smallest experiment for which a statement holds. The page's worker and the tests
// drive the same code.

import type { Shrink } from "./pkg/mmscope";

/** How large an experiment is. */
export interface ShrinkSize {
  readonly nodes: number;
  readonly cpus: number;
  readonly pages: number;
  readonly processes: number;
  readonly operations: number;
  /** The length as text: "2s". */
  readonly length: string;
}

/** A counter of the statement at the end of a run. */
interface ShrinkFigure {
  readonly counter: string;
  /** The kernel with its patches. */
  readonly kernel: string;
  readonly value: number;
}

/** An experiment for which the statement holds. */
interface Smallest {
  /** Canonical JSON. */
  readonly experiment: string;
  readonly figures: readonly ShrinkFigure[];
}

/** The progress of a search. */
export interface Shrinking {
  /** Experiments that were tried. */
  readonly runs: number;
  /**
   * The number of neighbours smaller than the best experiment, and how many of them have failed.
   */
  readonly neighbours: readonly [number, number];
  /** Whether no smaller neighbour of the best experiment is left to try. */
  readonly done: boolean;
  /** The size of the best experiment; null until the statement was found to hold. */
  readonly size: ShrinkSize | null;
  readonly best: Smallest | null;
}

/** The end of a search, or the reason why it cannot start. */
export type Shrunk =
  | { readonly kind: "found"; readonly found: Shrinking }
  | { readonly kind: "refused"; readonly message: string };

/** Points of one call. */
const CHUNK = 100_000;

/** Searches; yields its progress every few milliseconds. `begin` starts the engine's search. */
export function* shrink(begin: () => Shrink): Generator<Shrinking, Shrunk> {
  let search: Shrink | null = null;
  try {
    search = begin();
    let best: Smallest | null = null;
    for (;;) {
      const answer = JSON.parse(search.more(CHUNK)) as Shrinking;
      best = answer.best ?? best;
      const progress = { ...answer, best };
      if (answer.done) return { kind: "found", found: progress };
      yield progress;
    }
  } catch (error) {
    // A trap ends the worker; other errors of the engine are sentences.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return { kind: "refused", message: error instanceof Error ? error.message : String(error) };
  } finally {
    search?.free();
  }
}
