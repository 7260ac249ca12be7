// A reader's answers and position in a lesson, stored in the browser. Marks are not stored. The
// engine computes them again, so that marks of an earlier engine never remain.

import * as v from "valibot";
import { inBrowser, type Stored } from "../stored";

const seed = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** The stored progress of a reader in one lesson. */
export const PROGRESS = v.object({
  /** Predictions, by their run. */
  given: v.record(v.string(), v.string()),
  /** The run that each question shows. */
  settings: v.record(
    v.string(),
    v.union([
      v.object({ value: v.string(), seed }),
      // The format from the time when every lesson had the same tunable.
      v.pipe(
        v.object({ factor: v.string(), seed }),
        v.transform(({ factor, seed }) => ({ value: factor, seed })),
      ),
    ]),
  ),
  /** The build tasks, and whether they were attempted. */
  built: v.optional(
    v.record(v.string(), v.object({ set: v.record(v.string(), v.string()), isTried: v.boolean() })),
    {},
  ),
  /** Questions whose explanation was shown without an answer. */
  shown: v.optional(v.array(v.string()), []),
  /** Steps that were read. */
  visited: v.array(v.string()),
  /** The step at which to continue. */
  current: v.nullable(v.string()),
});

/** The same progress after parsing. */
export type Progress = v.InferOutput<typeof PROGRESS>;

const NOTHING: Progress = {
  given: {},
  settings: {},
  built: {},
  shown: [],
  visited: [],
  current: null,
};

/** Storage for progress. */
export interface Keeper {
  readonly read: (lesson: string) => string | null;
  readonly write: (lesson: string, text: string) => Stored;
}

const browser: Keeper = {
  read: (lesson) => inBrowser.read(keyOf(lesson)),
  write: (lesson, text) => inBrowser.write(keyOf(lesson), text),
};
let keeper = browser;

/**
 * Replaces the storage: a learning platform stores progress itself, because its students may share
 * a browser.
 */
export function keepElsewhere(other: Keeper): void {
  keeper = other;
}

const keyOf = (lesson: string) => `mmscope.lesson.${lesson}`;

/** Reads stored progress; empty if there is none, or it cannot be read. */
export function readProgress(lesson: string): Progress {
  try {
    return progressOf(keeper.read(lesson)) ?? NOTHING;
  } catch {
    return NOTHING;
  }
}

/** The progress in a text; null if the text contains none. Throws if the text is not JSON. */
export function progressOf(text: string | null): Progress | null {
  const read = v.safeParse(PROGRESS, text === null ? null : JSON.parse(text));
  return read.success ? read.output : null;
}

/** Stores a reader's progress. */
export const keepProgress = (lesson: string, progress: Progress): Stored =>
  keeper.write(lesson, JSON.stringify(progress));

/** Has the reader answered or built something, or seen an explanation? */
export const isAnswered = ({ given, built, shown }: Progress): boolean =>
  Object.keys(given).length + Object.keys(built).length + shown.length > 0;
