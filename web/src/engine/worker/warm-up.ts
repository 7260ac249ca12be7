// A browser first compiles an engine quickly, then compiles the busy parts again while they run.
// For a large machine, this recompilation would begin at the first Play and take every core from
// the page. Small machines therefore run in the background once a large machine is open and before
// the user requests anything.

import type { Engine } from "../pkg/mmscope";

/** The runs read, write, use many files and swap; together they exercise every list, kswapd and
    direct reclaim. */
export const WARM_UP_PRESETS = [
  "streaming-reader.teach",
  "fsmark.teach",
  "dirty-writer.teach",
  "anon-hog.teach",
];
/** The delay after the first frame, ms, in which the user reads the page. */
const AFTER_MS = 500;
/** The longest uninterrupted slice of the warm-up, ms: a request waits no longer than this. */
const SLICE_MS = 8;
const REST_MS = 4;
/** The delay before the warm-up tries again when the engine is busy, ms. */
const BUSY_MS = 300;
/** How long each run must last for the browser to compile the important parts, ms. */
const ENOUGH_MS = 700;
const STEPS = 20_000;

/** The dependencies of a warm-up. */
export interface WarmUpNeeds {
  /** Makes another engine from the loaded module; the open engine stays in use. */
  readonly begin: () => Engine;
  /** The texts of {@link WARM_UP_PRESETS}. */
  readonly experiments: readonly string[];
  /** Monotonic time, ms. */
  readonly now: () => number;
  readonly later: (work: () => void, delay_ms: number) => void;
}

/** Warms up an engine's code while `isIdle`, without any visible change. */
export function warmUp(needs: WarmUpNeeds, isIdle: () => boolean): void {
  needs.later(() => {
    const slices = running(needs);
    const next = () => {
      if (!isIdle()) return needs.later(next, BUSY_MS);
      if (!slices.next().done) needs.later(next, REST_MS);
    };
    next();
  }, AFTER_MS);
}

/**
 * Runs each machine for a while, and restarts a machine that has ended; yields after each slice.
 */
function* running({ begin, experiments, now }: WarmUpNeeds): Generator<void> {
  const engine = begin();
  for (const experiment of experiments) {
    engine.open(0, experiment);
    let spent_ms = 0;
    while (spent_ms < ENOUGH_MS) {
      const began = now();
      while (now() - began < SLICE_MS) {
        const { position } = engine.run(0, STEPS, undefined, undefined);
        if (position.ended) engine.open(0, experiment);
      }
      spent_ms += now() - began;
      yield;
    }
  }
  engine.free();
}
