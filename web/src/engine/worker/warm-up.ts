// A browser first compiles an engine quickly, then compiles the busy parts again while they run.
// For a large machine that would begin with the first Play and take every core from the page. So
// small machines run in the background once a large one is open and before a user asks for
// anything.

import type { Engine } from "../pkg/mmscope";

/** The runs: reading, writing, many files, swapping; they use every list, kswapd, direct
 * reclaim. */
export const WARM_UP_PRESETS = [
  "streaming-reader.teach",
  "fsmark.teach",
  "dirty-writer.teach",
  "anon-hog.teach",
];
/** Delay after the first frame, ms: a user reads it first. */
const AFTER_MS = 500;
/** The longest uninterrupted piece of it, ms: a request waits no longer. */
const SLICE_MS = 8;
const REST_MS = 4;
/** How long it waits before it tries again when the engine is busy, ms. */
const BUSY_MS = 300;
/** How long each must run for the browser to compile the important parts, ms. */
const ENOUGH_MS = 700;
const STEPS = 20_000;

/** What a warm-up needs from its environment. */
export interface WarmUpNeeds {
  /** Makes another engine from the module that runs; the open engine stays in use. */
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

/** Runs each machine for a while, restarting it when it has ended; yields after each slice. */
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
