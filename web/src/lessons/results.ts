// The results of a reader's answers to a lesson. The engine marks the answers again: a file of
// answers has no marks, and marks of an earlier engine must not remain.

import type { Measure, Measured } from "../engine/measure";
import { markingOf, runOf, verdictOf } from "./mark";
import type { Progress } from "./progress";
import { isTrue, readOf } from "./readings";
import { type Build, type LessonData, measureOf, type Question } from "./schema";

/** Measures a run. */
export type Measuring = (asked: Measure) => Promise<Measured>;

/** The result for one lesson. */
export interface LessonResult {
  readonly questions: number;
  /** The number of questions that were answered. */
  readonly answered: number;
  /** The number of right first answers, before any explanation was shown. */
  readonly right: number;
  readonly builds: number;
  /** The number of builds that meet their goal. */
  readonly built: number;
}

/** A prediction: its run and the answer. */
interface Try {
  readonly value: string;
  readonly seed: number;
  readonly answer: string;
}

/** The first prediction for a question; null if there is none or it does not fit the lesson. */
export function firstTry({ given }: Pick<Progress, "given">, question: Question): Try | null {
  const start = `${question.id}/`;
  // The entries are in the order of answering.
  const [run, answer] = Object.entries(given).find(([key]) => key.startsWith(start)) ?? [];
  if (run === undefined || answer === undefined) return null;
  const last = run.lastIndexOf("/");
  const [value, seed] = [run.slice(start.length, last), Number(run.slice(last + 1))];
  const isKnown = question.values.includes(value) && Number.isSafeInteger(seed) && seed > 0;
  return isKnown ? { value, seed, answer } : null;
}

/** Marks a lesson's answers. */
export async function resultOf(
  lesson: LessonData,
  progress: Progress,
  measure: Measuring,
): Promise<LessonResult> {
  const { questions, builds } = lesson;
  const result = {
    questions: questions.length,
    answered: 0,
    right: 0,
    builds: builds.length,
    built: 0,
  };
  for (const question of questions) {
    const first = firstTry(progress, question);
    if (!first) continue;
    result.answered += 1;
    const isRevealed = progress.shown.includes(question.id);
    if (!isRevealed && (await isRight(lesson, question, first, measure))) result.right += 1;
  }
  for (const build of builds) {
    const built = progress.built[build.id];
    if (built?.isTried && (await isBuilt(lesson, build, built.set, measure))) result.built += 1;
  }
  return result;
}

async function isRight(
  lesson: LessonData,
  question: Question,
  { value, seed, answer }: Try,
  measure: Measuring,
): Promise<boolean> {
  const run = runOf(question, value, seed);
  const measured = await measure(markingOf(lesson, question, run));
  return verdictOf(question, run, measured).key.id === answer;
}

/** Does a build meet its goal? */
async function isBuilt(
  lesson: LessonData,
  { experiment, parts, compare, goal }: Build,
  set: Readonly<Record<string, string>>,
  measure: Measuring,
): Promise<boolean> {
  const isOfParts = parts.every(({ knob, values }) => values.includes(set[knob] ?? ""));
  if (!isOfParts) return false;
  const turned = Object.fromEntries(parts.map(({ knob }) => [knob, set[knob] ?? ""]));
  const ends: Record<string, Parameters<typeof readOf>[0][string]> = {};
  for (const value of compare.values) {
    const run = { experiment, set: { ...turned, [compare.knob]: value }, seed: 1 };
    const measured = await measure(measureOf(lesson, run, [{ kind: "end" }]));
    if (measured.kind === "refused") return false;
    const [end] = measured.snapshots;
    if (!end) return false;
    ends[value] = end.view;
  }
  const read = readOf(ends);
  return goal.every((each) => isTrue(read, each));
}

/** Measures each run only once. */
export function onceEach(measure: Measuring): Measuring {
  const known = new Map<string, Promise<Measured>>();
  return (asked) => {
    const key = JSON.stringify(asked);
    const found = known.get(key) ?? measure(asked);
    known.set(key, found);
    return found;
  };
}
