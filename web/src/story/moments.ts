// Makes the moments of a run from its records: without a record there is no sentence about it.

import { GROUPS } from "./groups";
import { opened, RECLAIM } from "./reclaim";
import type { StoryRecord } from "./records";
import {
  type Moment,
  type MomentDraft,
  StoryContext,
  type StoryWords,
  type Tellers,
} from "./telling";
import { released, WAITS } from "./waits";
import { ZONES } from "./zones";

const TELLERS: Tellers = { ...ZONES, ...RECLAIM, ...WAITS, ...GROUPS };

/** The sentence made from one record, chosen by its name. */
function momentFor(record: StoryRecord, known: StoryContext): MomentDraft | undefined {
  // Each entry takes records of its own name; TypeScript cannot express that for all names at once.
  const tell = TELLERS[record.name] as
    | ((r: StoryRecord, k: StoryContext) => MomentDraft | undefined)
    | undefined;
  return tell?.(record, known);
}

/** Makes moments from one range of records after another. */
export class Teller {
  readonly #known: StoryContext;
  /** The last record of each task, by step. */
  readonly #last = new Map<number, number>();

  /** `isWhole`: the first record is also the first record of the run. */
  constructor(words: StoryWords, isWhole: boolean) {
    this.#known = new StoryContext(words, isWhole);
  }

  /** Updates names and watermarks. */
  know(words: StoryWords) {
    this.#known.words = words;
  }

  /** The moments of the next records. */
  read(records: readonly StoryRecord[]): Moment[] {
    return records.flatMap((record) => {
      const { step, time_ns, task } = record;
      const before = this.#last.get(task) ?? step - 1;
      this.#last.set(task, step);
      const known = this.#known;
      const drafts = [released(record, known), opened(record, known), momentFor(record, known)];
      return drafts.flatMap((one) => (one ? [{ ...one, step, time_ns, before }] : []));
    });
  }
}

/** The moments of a whole run's records. */
export const moments = (records: readonly StoryRecord[], words: StoryWords): Moment[] =>
  new Teller(words, true).read(records);
