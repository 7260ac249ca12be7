// A browser compiles an engine in haste first, and the busy parts anew beside it while they run. For
// a large machine that would begin with the first Play and take every core from the page. So small
// machines are run, unseen, once a large one is open and nobody has asked for anything yet.

import type { Engine } from "../pkg/mmscope";

/** What is run, in turn: reading, writing, many files, swapping; every list, kswapd, direct reclaim. */
export const WARM_UP_PRESETS = [
  "streaming-reader.teach",
  "fsmark.teach",
  "dirty-writer.teach",
  "anon-hog.teach",
];
/** So long after the first picture it begins, ms: a person reads it first. */
const AFTER_MS = 500;
/** How much of the time is spent on it at once, ms: a request waits no longer. */
const SLICE_MS = 8;
const REST_MS = 4;
/** How long it looks again when the engine is busy, ms. */
const BUSY_MS = 300;
/** How much running of each makes the browser compile what matters, ms. */
const ENOUGH_MS = 700;
const STEPS = 20_000;

/** What a warm-up needs from around it. */
export interface WarmUpNeeds {
  /** A further engine of the module that runs, which stays the one that does. */
  readonly begin: () => Engine;
  /** The texts of {@link WARM_UP_PRESETS}. */
  readonly experiments: readonly string[];
  /** Monotonic time, ms. */
  readonly now: () => number;
  readonly later: (work: () => void, delay_ms: number) => void;
}

/** Warms an engine's code up while `isIdle`. It changes nothing anybody sees. */
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

/** Runs each machine for a while, from its start again when it has ended; rests after each slice. */
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
