// The moments of the run around the current position, read from its records slice by slice. Moments
// before the position are the ticker's history; playback shows the moments after it.

import type { LogAct } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import type { Kinds } from "../../engine/record";
import { Teller } from "../../story/moments";
import type { Stretch } from "../../story/pace";
import { type Gap, RecordReader } from "../../story/records";
import { type Act, routineOf } from "../../story/routine";
import type { Moment, StoryWords } from "../../story/telling";

/** How many steps of a long run are read before the position where reading begins. */
const BACK_STEPS = 1 << 19;
/** If the position is further ahead than this, the book starts anew instead of reading on. */
const FAR_STEPS = 1 << 23;
/**
 * The maximum number of moments and acts stored before the reader's position; the oldest are
 * dropped first.
 */
const MOST_MOMENTS = 20_000;
const MOST_ACTS = 400_000;

/** A set that contains every moment. */
const ALL: ReadonlySet<Moment> = Object.assign(new Set<Moment>(), { has: () => true });

/** The dependencies of a book. */
export interface BookOf {
  readonly catalog: Kinds;
  readonly ask: AskLog;
  readonly words: () => StoryWords;
  /** A small machine's run is read from its beginning. */
  readonly isSmall: boolean;
}

/** The book of one opened experiment. */
export class Book {
  readonly #of: BookOf;
  #reader: RecordReader;
  #teller: Teller;
  /** How often it has started anew. */
  #begun = 0;
  #isOpen = false;
  #reading: Promise<void> | null = null;
  #moments: Moment[] = [];
  #acts: Act[] = [];
  #gaps: Gap[] = [];
  #from = 0;
  #to = 0;
  /** The reader's position: moments after it are never dropped. */
  #place = 0;
  #isEnded = false;
  /** False if memory does not allow reading ahead. */
  #isWhole = true;

  constructor(of: BookOf) {
    this.#of = of;
    this.#reader = new RecordReader(of.catalog);
    this.#teller = new Teller(of.words(), true);
  }

  /** All known moments, oldest first. */
  get moments(): readonly Moment[] {
    return this.#moments;
  }

  /** Names of the block devices. */
  get devices(): readonly string[] {
    return this.#of.words().devices;
  }

  /** The step up to which it was read. */
  get to(): number {
    return this.#to;
  }

  /** Whether the run ends at that step. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether it can read ahead. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The known moments after a step, and the moments at that step that were not shown yet. */
  after(step: number, shown: ReadonlySet<Moment> = ALL): Stretch {
    return {
      from: step,
      to: this.#to,
      moments: after(this.#moments, step - 1).filter((m) => m.step > step || !shown.has(m)),
      acts: after(this.#acts, step),
      gaps: after(this.#gaps, step),
    };
  }

  /** The moments at a step. */
  at(step: number): readonly Moment[] {
    return after(this.#moments, step - 1).filter((moment) => moment.step === step);
  }

  /** Reads until a step is known, while `isWanted`. */
  async reach(step: number, isCurrent: () => boolean): Promise<void> {
    this.#place = step;
    const far = this.#of.isSmall ? FAR_STEPS : BACK_STEPS;
    if (step < this.#from || step > this.#to + far) this.#begin(step);
    while (this.#to < step && !this.#isEnded && this.#isWhole && isCurrent()) await this.more();
  }

  /** Reads one more slice. Concurrent callers wait for the same slice. */
  more(): Promise<void> {
    if (this.#isEnded || !this.#isWhole) return Promise.resolve();
    this.#reading ??= this.#more().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Frees the engine's memory. */
  close() {
    this.#of.ask({ kind: "end" }).catch(() => {});
  }

  #begin(step: number) {
    const isFromStart = step <= (this.#of.isSmall ? FAR_STEPS : BACK_STEPS);
    this.#from = isFromStart ? 0 : Math.max(0, step - BACK_STEPS);
    this.#to = this.#from;
    this.#reader = new RecordReader(this.#of.catalog);
    this.#teller = new Teller(this.#of.words(), this.#from === 0);
    this.#moments = [];
    this.#acts = [];
    this.#gaps = [];
    this.#isEnded = false;
    this.#isOpen = false;
    this.#begun += 1;
    this.#reading = null;
  }

  async #more(): Promise<void> {
    const begun = this.#begun;
    const begin: LogAct = {
      kind: "begin",
      from: this.#from,
      to: Number.MAX_SAFE_INTEGER,
      filter: this.#reader.filterOf(),
    };
    const answer = await this.#of.ask(this.#isOpen ? { kind: "more" } : begin);
    // The book may have started anew meanwhile.
    if (begun !== this.#begun) return;
    if (!this.#isOpen) this.#isWhole = answer.isWhole;
    this.#isOpen = true;
    const { records, gaps } = this.#reader.read(answer.rows);
    this.#teller.know(this.#of.words());
    this.#moments = this.#newest([...this.#moments, ...this.#teller.read(records)], MOST_MOMENTS);
    this.#acts = this.#newest([...this.#acts, ...routineOf(records)], MOST_ACTS);
    this.#gaps = this.#newest([...this.#gaps, ...gaps], MOST_ACTS);
    this.#to = Math.max(this.#to, answer.at);
    this.#isEnded = answer.isDone;
  }

  #newest<T extends { readonly step: number }>(all: T[], most: number): T[] {
    const before = all.length - after(all, this.#place - 1).length;
    return before > most ? all.slice(before - most) : all;
  }
}

/** The part of an ordered list after a step. */
function after<T extends { readonly step: number }>(all: readonly T[], step: number): T[] {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.step ?? 0) > step) high = middle;
    else low = middle + 1;
  }
  return all.slice(low);
}
