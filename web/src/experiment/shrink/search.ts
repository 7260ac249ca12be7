// A search for the smallest example, and its result. It continues while the dialog is closed. The
// best experiment so far survives a reload.

import { createStore, type StoreApi } from "zustand/vanilla";
import { MeasureClient } from "../../engine/measure-client";
import type { Shrinking, ShrinkSize } from "../../engine/shrink";
import { inTab, type Stored } from "../../stored";
import { type Comparison, FIRST, readComparisons, statementOf } from "./statement";

const KEY = "mmscope.shrink";

/** The result of a search, and its starting point. */
export interface Found {
  /** The experiment from which the search started. */
  readonly of: string;
  readonly statement: string;
  /** The size of that experiment. */
  readonly first: ShrinkSize;
  readonly last: Shrinking;
}

/** The state of the dialog. */
export interface SearchState {
  readonly comparisons: readonly Comparison[];
  readonly isRunning: boolean;
  readonly found: Found | null;
  /** The reason why the search could not run. */
  readonly failure: string | null;
  readonly stored: Stored;
}

const EMPTY: SearchState = {
  comparisons: [FIRST],
  isRunning: false,
  found: null,
  failure: null,
  stored: "kept",
};

/** Reads the state from before a reload. */
function readStored(): SearchState {
  try {
    const { comparisons, found } = Object(JSON.parse(inTab.read(KEY) ?? "{}"));
    const isFound =
      typeof found?.of === "string" && typeof found?.last?.best?.experiment === "string";
    return {
      ...EMPTY,
      comparisons: readComparisons(comparisons) ?? EMPTY.comparisons,
      found: isFound ? found : null,
    };
  } catch {
    return EMPTY;
  }
}

/** One search after another. */
export class ShrinkSearch {
  readonly store: StoreApi<SearchState> = createStore(readStored);
  readonly #start: () => MeasureClient;
  #stop: AbortController | null = null;

  constructor(start: () => MeasureClient = () => new MeasureClient()) {
    this.#start = start;
  }

  /** Changes the statement. */
  edit(comparisons: readonly Comparison[]): void {
    this.#set({ comparisons, failure: null });
  }

  /** Searches from an experiment. The first progress replaces the result of the previous search. */
  async run(experiment: string): Promise<void> {
    this.stop();
    const stop = new AbortController();
    this.#stop = stop;
    // The worker ends with the search, because it holds whole machines.
    const client = this.#start();
    const statement = statementOf(this.store.getState().comparisons);
    this.#set({ isRunning: true, failure: null, found: null });
    const progress = (last: Shrinking) => {
      if (this.#stop === stop) this.#note(experiment, statement, last);
    };
    try {
      const shrunk = await client.shrink(
        { experiment, statement },
        { signal: stop.signal, progress },
      );
      if (this.#stop !== stop) return;
      if (shrunk.kind === "found") this.#note(experiment, statement, shrunk.found);
      else this.#set({ failure: shrunk.message });
    } catch (error) {
      const isStopped = error instanceof DOMException && error.name === "AbortError";
      if (!isStopped && this.#stop === stop) {
        this.#set({ failure: error instanceof Error ? error.message : String(error) });
      }
    } finally {
      client.dispose();
    }
    if (this.#stop === stop) this.#set({ isRunning: false });
  }

  /** Stops, and keeps the best experiment so far. */
  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.#set({ isRunning: false });
  }

  #note(of: string, statement: string, last: Shrinking) {
    const { found } = this.store.getState();
    const first = found?.first ?? last.size;
    if (first) this.#set({ found: { of, statement, first, last } });
  }

  #set(part: Partial<SearchState>) {
    const before = this.store.getState().found?.last.best;
    this.store.setState(part);
    const { comparisons, found } = this.store.getState();
    if (!part.comparisons && found?.last.best === before && part.isRunning === undefined) return;
    const stored = inTab.write(KEY, JSON.stringify({ comparisons, found }));
    this.store.setState({ stored });
  }
}

/** The search of this page. */
export const shrinkSearch = new ShrinkSearch();
