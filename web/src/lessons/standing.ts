// A reader's progress in each lesson, and the next lesson to read, from the stored progress.

import { LESSONS, type LessonHead } from "./heads";
import { readProgress } from "./progress";
import { STANDING } from "./words";

/** A reader's progress in a lesson. */
export type Standing =
  | { readonly kind: "not begun" }
  | { readonly kind: "begun"; readonly step: number; readonly steps: number }
  | { readonly kind: "finished" };

/**
 * A lesson is finished when each of its steps was read; a hidden step does not count as read.
 */
export function standingOf({ id, steps }: Pick<LessonHead, "id" | "steps">): Standing {
  const { current, visited } = readProgress(id);
  if (steps.length > 0 && steps.every((step) => visited.includes(step.id))) {
    return { kind: "finished" };
  }
  const at = steps.findIndex((step) => step.id === current);
  // A reader who has only opened the lesson has not begun it.
  return at > 0 ? { kind: "begun", step: at + 1, steps: steps.length } : { kind: "not begun" };
}

/** The progress in words. */
export const standingWords = (standing: Standing): string =>
  standing.kind === "begun" ? STANDING.atStepOf(standing.step, standing.steps) : standing.kind;

/** The suggested lesson. */
export interface Suggestion {
  readonly lesson: LessonHead;
  /** The kind of suggestion: the first lesson, one that was begun, or the next one. */
  readonly kind: "start" | "continue" | "next";
}

/**
 * The lesson of the course to read now: the first that was begun, otherwise the first that was not
 * begun. Null if all are finished.
 */
export function suggestion(lessons: readonly LessonHead[] = LESSONS): Suggestion | null {
  const ofCourse = lessons.filter(({ course }) => course !== undefined);
  const first = (kind: Standing["kind"]) =>
    ofCourse.find((lesson) => standingOf(lesson).kind === kind);
  const begun = first("begun");
  if (begun) return { lesson: begun, kind: "continue" };
  const next = first("not begun");
  if (!next) return null;
  return { lesson: next, kind: next === ofCourse[0] ? "start" : "next" };
}
