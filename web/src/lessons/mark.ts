// Marks an answer by running the experiment: computes the right answer and its explanation.

import type { Measure, Measured, Moment, Snapshot } from "../engine/measure";
import { holds } from "./readings";
import { type Answer, type LessonData, measureOf, type Question, type Run } from "./schema";

/** The result of a run for a question. */
export interface Verdict {
  readonly run: Run;
  /** The canonical experiment of the run. */
  readonly experiment: string;
  /** The answer that the run gives. */
  readonly key: Answer;
  /** The state at the moment that the question is about, by default the end of the run. */
  readonly end: Snapshot;
  /** The state at the moment to watch. */
  readonly watch: Snapshot;
}

/** The run of a question, with a value of its knob and a seed. */
export const runOf = ({ experiment, set, knob }: Question, value: string, seed: number): Run => ({
  experiment,
  set: { ...set, [knob]: value },
  seed,
});

/** The measurement that a question's mark needs. */
export const markingOf = (lesson: LessonData, question: Question, run: Run): Measure =>
  measureOf(lesson, run, [...question.watch, keyMomentOf(question)]);

/** The moment at which a question's answers are checked. */
export const keyMomentOf = ({ at }: Pick<Question, "at">): Moment => at ?? { kind: "end" };

/** Reads the verdict from a measurement. */
export function verdictOf(question: Question, run: Run, measured: Measured): Verdict {
  if (measured.kind === "refused") {
    const [first] = measured.refusals;
    throw new Error(`the engine refuses the run: ${first?.path} ${first?.reason}`);
  }
  const end = measured.snapshots.at(-1);
  if (!end) throw new Error("the requested moment never occurs");
  const key = question.answers.find((answer) => holds(end.view, answer.if));
  if (!key) throw new Error(`no answer to "${question.id}" matches the run`);
  const watch = measured.snapshots.find((snapshot) => snapshot !== null) ?? end;
  return { run, experiment: measured.experiment, key, end, watch };
}
