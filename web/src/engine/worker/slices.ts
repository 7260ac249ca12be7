// Divides work into slices of calls that are long enough for low overhead and short enough for low
// latency.

import type { Advance } from "../pkg/mmscope";

/** Steps of the first call. */
const FIRST_CHUNK_STEPS = 4096;

/** Repeats bounded calls, each of about a third of a slice. */
export class Slices {
  readonly #now: () => number;
  #chunk = FIRST_CHUNK_STEPS;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Steps of the next call. */
  get chunk(): number {
    return this.#chunk;
  }

  /** Repeats a call until its goal is reached, the run has ended, or the slice is over. */
  repeat(call: (max_steps: number) => Advance, slice_ms: number): Advance {
    const began = this.#now();
    for (;;) {
      const before = this.#now();
      const progress = call(this.#chunk);
      const now = this.#now();
      if (now - before < slice_ms / 6) this.#chunk = Math.min(this.#chunk * 2, 1 << 24);
      else if (now - before > slice_ms / 2)
        this.#chunk = Math.max(this.#chunk >> 1, FIRST_CHUNK_STEPS);
      if (progress.done || progress.position.ended || now - began > slice_ms) return progress;
    }
  }
}
