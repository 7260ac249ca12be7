// Notices a worker that has not answered for very long, if the browser cannot report whether it is
// alive (`life.ts`). The watchdog pings the worker continually, and the worker answers between
// slices of work. This method cannot distinguish a dead worker from a busy one, so the report is
// withdrawn as soon as the worker answers.

/** How often the watchdog checks, ms. */
const LOOK_EVERY_MS = 200;
/** The shortest wait before a report, ms: longer than any single operation usually takes. */
const PATIENCE_MS = 60_000;
/**
 * The wait is at least this many times as long as the slowest answer, because a slow device is slow
 * in everything.
 */
const PATIENCE_SLOWEST = 20;
/** Checks further apart than this were delayed by the browser or by the page's own work, ms. */
const HELD_BACK_MS = 600;

/** The environment of the watchdog; a test passes its own. */
export interface WatchdogSurroundings {
  /** Monotonic time, ms. */
  readonly now: () => number;
  /** Calls back repeatedly; returns a function that stops it. */
  readonly every: (ms: number, look: () => void) => () => void;
  /** True while the page is hidden and its timers are throttled. */
  readonly isHidden: () => boolean;
}

const IN_BROWSER: WatchdogSurroundings = {
  now: () => performance.now(),
  every: (ms, look) => {
    const timer = setInterval(look, ms);
    return () => clearInterval(timer);
  },
  isHidden: () => document.visibilityState === "hidden",
};

/** The functions that the watchdog calls. */
export interface Watched {
  /** Pings the worker. */
  readonly ask: () => void;
  /** Called when the worker has not answered for very long. */
  readonly silent: () => void;
  /** Called when the worker has answered after all. */
  readonly back: () => void;
}

/** Watches one worker, from its first message on. */
export class Watchdog {
  readonly #watched: Watched;
  readonly #around: WatchdogSurroundings;
  /** The time at which the pending ping was sent; null if none is pending. */
  #asked_ms: number | null = null;
  #looked_ms = 0;
  /** The duration of the worker's slowest answer, ms. */
  #slowest_ms = 0;
  #isSilent = false;
  #stop: (() => void) | null = null;

  constructor(watched: Watched, around: WatchdogSurroundings = IN_BROWSER) {
    this.#watched = watched;
    this.#around = around;
  }

  /** The worker sent a message. */
  hear(): void {
    if (this.#asked_ms !== null) {
      const took_ms = this.#around.now() - this.#asked_ms;
      this.#slowest_ms = Math.max(this.#slowest_ms, took_ms);
    }
    this.#asked_ms = null;
    if (this.#isSilent) {
      this.#isSilent = false;
      this.#watched.back();
    }
    if (this.#stop) return;
    this.#looked_ms = this.#around.now();
    this.#stop = this.#around.every(LOOK_EVERY_MS, () => this.#look());
  }

  /** The worker has ended. */
  end(): void {
    this.#stop?.();
    this.#stop = null;
    this.#asked_ms = null;
    this.#isSilent = false;
  }

  #patience = () => Math.max(PATIENCE_MS, PATIENCE_SLOWEST * this.#slowest_ms);

  #look() {
    const now = this.#around.now();
    const wasHeldBack = now - this.#looked_ms > HELD_BACK_MS;
    this.#looked_ms = now;
    // An answer that arrived meanwhile may be queued behind this check.
    if (wasHeldBack || this.#around.isHidden()) this.#asked_ms = null;
    if (this.#around.isHidden() || this.#isSilent) return;
    if (this.#asked_ms === null) {
      this.#asked_ms = now;
      this.#watched.ask();
    } else if (now - this.#asked_ms >= this.#patience()) {
      this.#isSilent = true;
      this.#watched.silent();
    }
  }
}
