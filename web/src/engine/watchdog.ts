// Notices a worker that has died without a word. It is asked for a sign of life all the time, and
// answers between its slices of work. What is taken back costs nothing: a worker that was only slow
// says something later.

/** How often it is looked at, ms. */
const LOOK_EVERY_MS = 200;
/** A worker that has not answered for so long is silent, ms: two seconds after it died, with the looks. */
const PATIENCE_MS = 1500;
/** The same while it does something that is not in slices, as it said before, ms. */
const LONG_PATIENCE_MS = 60_000;
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
  /** It gives none any more. */
  readonly silent: () => void;
  /** It was silent, and is not. */
  readonly back: () => void;
}

/** Watches one worker, from its first word on. */
export class Watchdog {
  readonly #watched: Watched;
  readonly #around: WatchdogSurroundings;
  /** When the question was put that is not answered yet; null where none waits. */
  #asked_ms: number | null = null;
  #looked_ms = 0;
  #patience_ms = PATIENCE_MS;
  #isSilent = false;
  #stop: (() => void) | null = null;

  constructor(watched: Watched, around: WatchdogSurroundings = IN_BROWSER) {
    this.#watched = watched;
    this.#around = around;
  }

  /** The worker said something; `isLong`: that it will be busy at one piece for a while. */
  hear(isLong = false): void {
    this.#asked_ms = null;
    this.#patience_ms = isLong ? LONG_PATIENCE_MS : PATIENCE_MS;
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
    } else if (now - this.#asked_ms >= this.#patience_ms) {
      this.#isSilent = true;
      this.#watched.silent();
    }
  }
}
