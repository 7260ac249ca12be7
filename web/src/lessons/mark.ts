// Marks an answer by a run: which answer the run gives, and what it has to say about it.

import type { Measure, Measured, Moment, Snapshot } from "../engine/measure";
import { holds } from "./readings";
import { type Answer, type LessonData, measureOf, type Question, type Run } from "./schema";

/** What a run says about a question. */
export interface Verdict {
  readonly run: Run;
  /** The canonical experiment that ran. */
  readonly experiment: string;
  /** The answer the run gives. */
  readonly key: Answer;
  /** The end of the run, or the moment the question is about. */
  readonly end: Snapshot;
  /** The moment to look at. */
  readonly watch: Snapshot;
}

/** The run a question is about, with a value of its knob and a seed. */
export const runOf = ({ experiment, set, knob }: Question, value: string, seed: number): Run => ({
  experiment,
  set: { ...set, [knob]: value },
  seed,
});

/** What must be measured to mark a question. */
export const markingOf = (lesson: LessonData, question: Question, run: Run): Measure =>
  measureOf(lesson, run, [...question.watch, keyMomentOf(question)]);

/** The moment at which a question's answers are judged. */
export const keyMomentOf = ({ at }: Pick<Question, "at">): Moment => at ?? { kind: "end" };

/** Reads the verdict off what was measured. */
export function verdictOf(question: Question, run: Run, measured: Measured): Verdict {
  if (measured.kind === "refused") {
    const [first] = measured.refusals;
    throw new Error(`the engine refuses the run: ${first?.path} ${first?.reason}`);
  }
  const end = measured.snapshots.at(-1);
  if (!end) throw new Error("the moment asked about never comes");
  const key = question.answers.find((answer) => holds(end.view, answer.if));
  if (!key) throw new Error(`no answer of "${question.id}" fits the run`);
  const watch = measured.snapshots.find((snapshot) => snapshot !== null) ?? end;
  return { run, experiment: measured.experiment, key, end, watch };
}
