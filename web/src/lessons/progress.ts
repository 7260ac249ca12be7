// What a reader has answered and how far they are, kept in the browser. Verdicts are not kept: they
// are computed again, so that an old mark never outlives the engine that gave it.

import * as v from "valibot";
import { inBrowser, type Stored } from "../stored";

const seed = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** What is kept of a reader of one lesson. */
export const PROGRESS = v.object({
  /** Predictions, by the run they were made for. */
  given: v.record(v.string(), v.string()),
  /** The run each question shows. */
  settings: v.record(
    v.string(),
    v.union([
      v.object({ value: v.string(), seed }),
      // As it was kept while every lesson turned the same tunable.
      v.pipe(
        v.object({ factor: v.string(), seed }),
        v.transform(({ factor, seed }) => ({ value: factor, seed })),
      ),
    ]),
  ),
  /** What was built, and whether it was tried. */
  built: v.optional(
    v.record(v.string(), v.object({ set: v.record(v.string(), v.string()), isTried: v.boolean() })),
    {},
  ),
  /** Questions whose explanation was shown without an answer. */
  shown: v.optional(v.array(v.string()), []),
  /** Steps that were read. */
  visited: v.array(v.string()),
  /** The step to go on from. */
  current: v.nullable(v.string()),
});

/** The same, read. */
export type Progress = v.InferOutput<typeof PROGRESS>;

const NOTHING: Progress = {
  given: {},
  settings: {},
  built: {},
  shown: [],
  visited: [],
  current: null,
};

/** Where progress is kept. */
export interface Keeper {
  readonly read: (lesson: string) => string | null;
  readonly write: (lesson: string, text: string) => Stored;
}

const browser: Keeper = {
  read: (lesson) => inBrowser.read(keyOf(lesson)),
  write: (lesson, text) => inBrowser.write(keyOf(lesson), text),
};
let keeper = browser;

/** From here on somebody else keeps progress: a learning platform, whose students share a browser. */
export function keepElsewhere(other: Keeper): void {
  keeper = other;
}

const keyOf = (lesson: string) => `mmscope.lesson.${lesson}`;

/** Reads what is kept; nothing where there is nothing, or nothing readable. */
export function readProgress(lesson: string): Progress {
  try {
    return progressOf(keeper.read(lesson)) ?? NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Progress as a text has it; null where it has none. Throws where it is no JSON. */
export function progressOf(text: string | null): Progress | null {
  const read = v.safeParse(PROGRESS, text === null ? null : JSON.parse(text));
  return read.success ? read.output : null;
}

/** Keeps a reader's progress. */
export const keepProgress = (lesson: string, progress: Progress): Stored =>
  keeper.write(lesson, JSON.stringify(progress));

/** Has a reader answered, built or been shown anything? */
export const isAnswered = ({ given, built, shown }: Progress): boolean =>
  Object.keys(given).length + Object.keys(built).length + shown.length > 0;
