// The ready-made experiments, each with the question that it answers.

/** A question and the experiment that answers it. */
export interface Asked {
  readonly question: string;
  /** Id of a ready-made experiment. */
  readonly preset: string;
}

/** In a sensible order of reading. */
export const QUESTIONS: readonly Asked[] = [
  {
    question: "Where does the next page come from when a node is full?",
    preset: "first-touch.teach",
  },
  {
    question: "What happens when a reader streams more than memory?",
    preset: "streaming-reader.teach",
  },
  { question: "What goes to swap when memory is not enough?", preset: "anon-hog.teach" },
  { question: "Why must a writer wait for the disk?", preset: "dirty-writer.teach" },
  { question: "What changes when the watermarks change?", preset: "marks-moved.teach" },
  { question: "How do kernel pages end up between user pages?", preset: "kernel-among-user.teach" },
  { question: "What happens when memory really runs out?", preset: "out-of-memory.teach" },
];
