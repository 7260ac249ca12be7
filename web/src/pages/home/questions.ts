// The ready-made experiments, each with the question that it answers.
import { QUESTIONS_TEXTS } from "./words";

/** A question and the experiment that answers it. */
export interface Asked {
  readonly question: string;
  /** Id of a ready-made experiment. */
  readonly preset: string;
}

/** In a sensible order of reading. */
export const QUESTIONS: readonly Asked[] = [
  {
    question: QUESTIONS_TEXTS.whereDoesNext,
    preset: "first-touch.teach",
  },
  {
    question: QUESTIONS_TEXTS.whatHappensWhenReader,
    preset: "streaming-reader.teach",
  },
  { question: QUESTIONS_TEXTS.whatGoesToSwap, preset: "anon-hog.teach" },
  { question: QUESTIONS_TEXTS.whyMustWriterWait, preset: "dirty-writer.teach" },
  { question: QUESTIONS_TEXTS.whatChangesWhenWatermarksChange, preset: "marks-moved.teach" },
  { question: QUESTIONS_TEXTS.howDoKernelPages, preset: "kernel-among-user.teach" },
  { question: QUESTIONS_TEXTS.whatHappensWhenMemory, preset: "out-of-memory.teach" },
  {
    question: QUESTIONS_TEXTS.whyWasContainerKilled,
    preset: "container-at-its-limit.teach",
  },
];
