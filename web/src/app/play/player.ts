// Plays a run by its events: reads ahead and shows each moment for as long as it takes to read.
// Callers pass the clock, so that a test can control it.

import type { EngineRequest, Frame } from "../../engine/protocol";
import { type Beat, pace, Read, type Stretch } from "../../story/pace";
import { type Moment, textOf } from "../../story/telling";
import { tempoAt } from "../pace";
import type { WorkbenchStore } from "../store";
import type { Book } from "./book";

/** The wall clock of a page or a test. */
export interface WallClock {
  readonly now: () => number;
  /** Calls back later; returns a function that cancels it. */
  readonly later: (work: () => void, ms: number) => () => void;
}

/** The page's clock. */
export const WALL_CLOCK: WallClock = {
  now: () => performance.now(),
  later: (work, ms) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** The parts of the workbench that this module needs. */
export interface PlayerBench {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  /** The book of the open run. */
  readonly book: () => Book | null;
  /** Plays the run by the clock if it cannot be read ahead. */
  readonly byClock: () => void;
}

/** Replaces the sentences for moments, and chooses which moments are shown. */
export interface Narrator {
  readonly tell: (moment: Moment) => string;
  readonly isShown: (moment: Moment) => boolean;
}

/** Sentences are announced at most this often, ms. */
const SAY_EVERY_MS = 3000;
/** The number of slices read at once; it doubles while there are no events, up to the maximum. */
const SLICES = 4;
const MOST_SLICES = 16;

/** Plays the run of one workbench. */
export class Player {
  readonly #store: WorkbenchStore;
  readonly #bench: PlayerBench;
  readonly #clock: WallClock;
  readonly #read = new Read();
  #narrator: Narrator | null = null;
  #run: AbortController | null = null;
  #announced_ms = Number.NEGATIVE_INFINITY;
  /** The engine has started to play. */
  #isHeard = false;
  /** Called for each frame while playback waits for one. */
  #onShown: ((step: number) => void) | null = null;
  /** Ends the present wait. */
  #leave: (() => void) | null = null;

  constructor(store: WorkbenchStore, bench: PlayerBench, clock: WallClock) {
    this.#store = store;
    this.#bench = bench;
    this.#clock = clock;
  }

  /** Whether it is playing. */
  get isPlaying(): boolean {
    return this.#run !== null;
  }

  /** Sets the narrator. */
  tellAs(narrator: Narrator | null) {
    this.#narrator = narrator;
  }

  /** Plays from the machine's position. */
  play() {
    this.stop();
    const book = this.#bench.book();
    const frame = this.#store.getState().session?.frame;
    if (!book || !frame) return;
    const run = new AbortController();
    this.#run = run;
    this.#play(book, frame.view.position.step, run.signal).catch((error: unknown) => {
      if (run.signal.aborted) return;
      this.stop();
      throw error;
    });
  }

  /** Ends playback; the caller stops the machine. */
  stop() {
    this.#run?.abort();
    this.#run = null;
    this.#isHeard = false;
    this.#leave?.();
    this.#leave = null;
    this.#onShown = null;
    this.#show(null, this.#store.getState().story.now);
  }

  /** Handles a frame: a frame at rest ends playback once the engine has started to play. */
  hear({ mode, view }: Frame) {
    if (!this.#run) return;
    if (mode.kind !== "playing") return this.#isHeard ? this.stop() : undefined;
    this.#isHeard = true;
    this.#onShown?.(view.position.step);
  }

  async #play(book: Book, from: number, signal: AbortSignal) {
    await this.#go(from, "played");
    await book.reach(from, () => !signal.aborted);
    if (signal.aborted) return;
    if (!book.isWhole) return this.#bench.byClock();
    let here = from;
    let slices = SLICES;
    // The moments at this step were shown before.
    let shownMoments = new Set(book.at(from));
    for (;;) {
      await book.reach(here, () => !signal.aborted);
      await this.#readOn(book, here, slices, shownMoments);
      if (signal.aborted) return;
      const plan = pace(this.#ahead(book, here, shownMoments), this.#read, book.devices);
      const isQuiet = !plan.beats.some(({ moment }) => moment);
      slices = isQuiet ? Math.min(MOST_SLICES, slices * 2) : SLICES;
      for (const beat of plan.beats) {
        // Read the next moments while this one is shown.
        if (this.#ahead(book, beat.step).moments.length === 0) void book.more().catch(() => {});
        await this.#come(beat, here);
        here = Math.max(here, beat.step);
      }
      shownMoments = new Set([...shownMoments, ...plan.moments].filter(({ step }) => step >= here));
      if (plan.beats.length > 0) continue;
      if (book.isEnded && here >= book.to) return this.#bench.send({ kind: "end" });
      // Another reader of the book may have read more meanwhile: those moments must still be shown.
      const { to } = book;
      await this.#go(to, "played");
      here = to;
    }
  }

  /** Reads until enough upcoming moments are known. */
  async #readOn(book: Book, here: number, slices: number, shownMoments: ReadonlySet<Moment>) {
    const isEmpty = () => this.#ahead(book, here, shownMoments).moments.length === 0;
    for (let i = 0; i < slices && isEmpty() && !book.isEnded; i += 1) await book.more();
  }

  /** The upcoming part that will be shown. */
  #ahead(book: Book, here: number, shownMoments?: ReadonlySet<Moment>): Stretch {
    const stretch = book.after(here, shownMoments);
    const narrator = this.#narrator;
    return narrator
      ? { ...stretch, moments: stretch.moments.filter((moment) => narrator.isShown(moment)) }
      : stretch;
  }

  async #come({ step, wall_ms, line, moment }: Beat, here: number) {
    if (moment) {
      // Start from the step before, so that the event is visible.
      if (moment.before > here) await this.#go(moment.before, "played");
      this.#show(null, moment);
      await this.#go(step, "told");
      this.#say(moment);
    } else {
      this.#show(line, this.#store.getState().story.now);
      if (step > here) await this.#go(step, "played");
    }
    await this.#wait(wall_ms / tempoAt(this.#store.getState().tempoIndex));
  }

  #show(line: Beat["line"], now: Moment | null) {
    const { story } = this.#store.getState();
    if (story.line === line && story.now === now) return;
    this.#store.setState({ story: { ...story, line, now } });
  }

  #say(moment: Moment) {
    const words = this.#narrator?.tell(moment) ?? this.#wordsOf(moment);
    const now = this.#clock.now();
    if (now - this.#announced_ms < SAY_EVERY_MS) return;
    this.#announced_ms = now;
    this.#bench.say(words);
  }

  #wordsOf({ sentence }: Moment): string {
    const tasks = this.#store.getState().session?.frame?.view.tasks ?? [];
    return textOf(sentence, (id) => tasks.find((task) => task.id === id)?.name);
  }

  /** Moves the machine to a step and waits until the page shows it. */
  async #go(step: number, cause: "played" | "told"): Promise<void> {
    await this.#until((done) => {
      this.#onShown = (at) => at >= step && done();
      this.#bench.send({ kind: "advance", step, cause });
      return null;
    });
    this.#onShown = null;
  }

  #wait = (ms: number): Promise<void> => this.#until((done) => this.#clock.later(done, ms));

  /** Waits for one event at a time; rejects when playback ends. */
  #until(begin: (done: () => void) => (() => void) | null): Promise<void> {
    return new Promise((done, leave) => {
      const cancel = begin(done);
      this.#leave = () => {
        cancel?.();
        leave(new Error("play was left"));
      };
    });
  }
}
