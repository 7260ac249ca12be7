// The story of the open machine: its book, its player, and searches in it.

import type { AskLog } from "../../engine/log-turns";
import type { EngineRequest, Frame } from "../../engine/protocol";
import type { StoryWords } from "../../story/telling";
import { NO_STORY, type WorkbenchStore } from "../store";
import { Book } from "./book";
import { Player, type WallClock } from "./player";
import { RunTo } from "./run-to";
import { storyWords } from "./words";

/** The parts of the workbench that this module needs. */
export interface StoryHost {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  /** Shows a notice: one sentence about what has just happened. */
  readonly tell: (text: string) => void;
  /** A separate log reader. */
  readonly log: () => AskLog;
  /** The user has acted on the open experiment. */
  readonly touch: () => void;
  /** Plays the run by the clock if it cannot be read ahead. */
  readonly byClock: () => void;
}

/**
 * The delay before reading begins after the machine comes to rest, and the interval between
 * readings, ms.
 */
const READ_AFTER_MS = 300;

const NOBODY: StoryWords = { zones: [], tasks: new Map(), devices: [], lru: [] };

/** The story of one workbench. */
export class StoryController {
  readonly #store: WorkbenchStore;
  readonly #host: StoryHost;
  readonly #clock: WallClock;
  readonly player: Player;
  /** Runs to the next record of a kind. */
  readonly runTo: RunTo;
  #book: Book | null = null;
  #words = NOBODY;
  /** How many components show the story; if there are none, it is not read. */
  #readers = 0;
  #later: (() => void) | null = null;

  constructor(store: WorkbenchStore, bench: StoryHost, clock: WallClock) {
    this.#store = store;
    this.#host = bench;
    this.#clock = clock;
    this.player = new Player(store, { ...bench, book: () => this.#book }, clock);
    this.runTo = new RunTo(store, bench);
  }

  /** Another machine was opened, with another story. */
  opened() {
    this.player.stop();
    this.runTo.stop();
    this.#book?.close();
    this.#book = null;
    this.#words = NOBODY;
    this.#store.setState({ story: NO_STORY });
  }

  /** Registers a component that shows the story; the returned function unregisters it. */
  show(): () => void {
    this.#readers += 1;
    this.#readSoon();
    return () => {
      this.#readers -= 1;
    };
  }

  /** A frame has arrived. */
  hear(frame: Frame) {
    const { engine, session } = this.#store.getState();
    if (engine.kind !== "ready" || !session) return;
    this.#words = storyWords(engine.catalog, frame.view, this.#words.tasks);
    this.#book ??= new Book({
      catalog: engine.catalog,
      ask: this.#host.log(),
      words: () => this.#words,
      isSmall: session.info.teaching,
    });
    this.player.hear(frame);
    this.#forget(frame.view.position.step);
    if (this.player.isPlaying) this.#publish();
    // Not while a large machine runs, because reading would slow it down.
    else if (session.info.teaching || frame.mode.kind === "paused") this.#readSoon();
  }

  /** At another step no moment is shown. */
  #forget(step: number) {
    const { story } = this.#store.getState();
    if (!this.player.isPlaying && story.now && story.now.step !== step)
      this.#store.setState({ story: { ...story, now: null } });
  }

  #readSoon() {
    if (this.#readers === 0 || this.#later) return;
    this.#later = this.#clock.later(() => {
      this.#later = null;
      const book = this.#book;
      const step = this.#store.getState().session?.frame?.view.position.step;
      if (!book || step === undefined || this.player.isPlaying) return;
      const isStill = () => book === this.#book && !this.player.isPlaying;
      book
        .reach(step, isStill)
        .then(() => book === this.#book && this.#publish())
        // Another experiment was opened, with its own story.
        .catch(() => {});
    }, READ_AFTER_MS);
  }

  #publish() {
    const moments = this.#book?.moments ?? [];
    const { story } = this.#store.getState();
    if (story.moments !== moments) this.#store.setState({ story: { ...story, moments } });
  }
}
