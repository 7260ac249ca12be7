// The moments of the run around where a person stands, read from its records slice by slice: those
// behind are the ticker's history, those ahead are what play comes to.

import type { LogAct } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import type { Kinds } from "../../engine/record";
import { Teller } from "../../story/moments";
import type { Stretch } from "../../story/pace";
import { type Gap, RecordReader } from "../../story/records";
import { type Act, routineOf } from "../../story/routine";
import type { Moment, StoryWords } from "../../story/telling";

/** So much of a long run is read before where it begins, steps. */
const BACK_STEPS = 1 << 19;
/** What lies further ahead is not read through: the book begins anew there. */
const FAR_STEPS = 1 << 23;
/** Most moments and acts kept of what lies behind the reader: what goes first is what came first. */
const MOST_MOMENTS = 20_000;
const MOST_ACTS = 400_000;

/** Has whatever is asked for. */
const ALL: ReadonlySet<Moment> = Object.assign(new Set<Moment>(), { has: () => true });

/** What a book is read from. */
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
  /** How often it has begun anew. */
  #begun = 0;
  #isOpen = false;
  #reading: Promise<void> | null = null;
  #moments: Moment[] = [];
  #acts: Act[] = [];
  #gaps: Gap[] = [];
  #from = 0;
  #to = 0;
  /** Where whoever reads it stands: nothing after it is thrown away. */
  #place = 0;
  #isEnded = false;
  /** False where memory allows no reading ahead. */
  #isWhole = true;

  constructor(of: BookOf) {
    this.#of = of;
    this.#reader = new RecordReader(of.catalog);
    this.#teller = new Teller(of.words(), true);
  }

  /** All that is known, oldest first. */
  get moments(): readonly Moment[] {
    return this.#moments;
  }

  /** Names of the block devices. */
  get devices(): readonly string[] {
    return this.#of.words().devices;
  }

  /** Read up to this step. */
  get to(): number {
    return this.#to;
  }

  /** There is nothing after it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** It can be read ahead. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What is known after a step, and at it what was not told yet. */
  after(step: number, told: ReadonlySet<Moment> = ALL): Stretch {
    return {
      from: step,
      to: this.#to,
      moments: behind(this.#moments, step - 1).filter((m) => m.step > step || !told.has(m)),
      acts: behind(this.#acts, step),
      gaps: behind(this.#gaps, step),
    };
  }

  /** What happened at a step. */
  at(step: number): readonly Moment[] {
    return behind(this.#moments, step - 1).filter((moment) => moment.step === step);
  }

  /** Reads until a step is known, while that is wanted. */
  async reach(step: number, isWanted: () => boolean): Promise<void> {
    this.#place = step;
    const far = this.#of.isSmall ? FAR_STEPS : BACK_STEPS;
    if (step < this.#from || step > this.#to + far) this.#begin(step);
    while (this.#to < step && !this.#isEnded && this.#isWhole && isWanted()) await this.more();
  }

  /** Reads on a little. Whoever asks meanwhile waits for the same. */
  more(): Promise<void> {
    if (this.#isEnded || !this.#isWhole) return Promise.resolve();
    this.#reading ??= this.#more().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Gives the engine's memory back. */
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
    // It may have begun anew meanwhile.
    if (begun !== this.#begun) return;
    if (!this.#isOpen) this.#isWhole = answer.isWhole;
    this.#isOpen = true;
    const { records, gaps } = this.#reader.read(answer.rows);
    this.#teller.know(this.#of.words());
    this.#moments = this.#kept([...this.#moments, ...this.#teller.read(records)], MOST_MOMENTS);
    this.#acts = this.#kept([...this.#acts, ...routineOf(records)], MOST_ACTS);
    this.#gaps = this.#kept([...this.#gaps, ...gaps], MOST_ACTS);
    this.#to = Math.max(this.#to, answer.at);
    this.#isEnded = answer.isDone;
  }

  #kept<T extends { readonly step: number }>(all: T[], most: number): T[] {
    const behindPlace = all.length - behind(all, this.#place - 1).length;
    return behindPlace > most ? all.slice(behindPlace - most) : all;
  }
}

/** Those after a step, of some in order. */
function behind<T extends { readonly step: number }>(all: readonly T[], step: number): T[] {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.step ?? 0) > step) high = middle;
    else low = middle + 1;
  }
  return all.slice(low);
}
