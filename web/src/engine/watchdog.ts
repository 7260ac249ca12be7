// Notices a worker that gives no answer for very long, where the browser cannot say whether it is
// alive (`life.ts`). It is asked for a sign of life all the time, and answers between its slices of
// work. Nobody can tell a worker that is dead from one that is busy this way: what is said can be
// taken back, and is as soon as the worker answers.

/** How often it is looked at, ms. */
const LOOK_EVERY_MS = 200;
/** A worker is waited for at least as long, ms: longer than any one piece of its work usually takes. */
const PATIENCE_MS = 60_000;
/** And so many times as long as its slowest answer took: a slow device is slow in everything. */
const PATIENCE_SLOWEST = 20;
/** Looks further apart than this were held back, by the browser or by the page's own work, ms. */
const HELD_BACK_MS = 600;

/** What it needs from around it; a test hands in its own. */
export interface WatchdogSurroundings {
  /** Monotonic time, ms. */
  readonly now: () => number;
  /** Calls back again and again; gives what ends it. */
  readonly every: (ms: number, look: () => void) => () => void;
  /** Nobody sees the page, and its timers are held back. */
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

/** Whom it tells. */
export interface Watched {
  /** Asks the worker for a sign of life. */
  readonly ask: () => void;
  /** It has given none for very long. */
  readonly silent: () => void;
  /** It has given one after all. */
  readonly back: () => void;
}

/** Watches one worker, from its first word on. */
export class Watchdog {
  readonly #watched: Watched;
  readonly #around: WatchdogSurroundings;
  /** When the question was put that is not answered yet; null where none waits. */
  #asked_ms: number | null = null;
  #looked_ms = 0;
  /** How long its slowest answer took, ms. */
  #slowest_ms = 0;
  #isSilent = false;
  #stop: (() => void) | null = null;

  constructor(watched: Watched, around: WatchdogSurroundings = IN_BROWSER) {
    this.#watched = watched;
    this.#around = around;
  }

  /** The worker said something. */
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

  /** The worker is gone. */
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
    // What the worker answered meanwhile may wait behind this look.
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
