// The data that the home page shows for each lesson, available without loading the lesson.

import type { Course } from "./schema";
import { HEADS } from "./words";

/** The head of a lesson. */
export interface LessonHead {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  readonly course?: Course;
  /** The lesson's file of published figures in `lessons/figures`. */
  readonly figures?: string;
  readonly steps: readonly { readonly id: string }[];
}

const heads = import.meta.glob<Omit<LessonHead, "id">>("../../../lessons/*/lesson.json", {
  eager: true,
  import: "default",
});

/** A part of the course. */
export interface CoursePart {
  readonly id: Course["part"];
  readonly title: string;
}

/** The parts of the course, in reading order. */
export const PARTS: readonly CoursePart[] = [
  { id: "basics", title: HEADS.basics },
  { id: "mechanisms", title: HEADS.mechanisms },
  { id: "series", title: HEADS.publishedPatchSeries },
];

/** A lesson outside the course comes last. */
const positionOf = ({ course }: LessonHead) => {
  const part = PARTS.findIndex(({ id }) => id === course?.part);
  return part < 0 ? PARTS.length * 100 : part * 100 + (course?.place ?? 0);
};

/** All lessons, in the order of the course. */
export const LESSONS: readonly LessonHead[] = Object.entries(heads)
  .map(([path, head]) => ({ ...head, id: path.split("/").at(-2) ?? "" }))
  .sort((a, b) => positionOf(a) - positionOf(b));

/** The lessons of a part, in their order. */
export const lessonsOf = (part: Course["part"]): readonly LessonHead[] =>
  LESSONS.filter(({ course }) => course?.part === part);

/** The existing lessons on which a lesson builds. */
export const basesOf = ({ builds_on }: Course): readonly LessonHead[] =>
  builds_on.flatMap((id) => LESSONS.find((lesson) => lesson.id === id) ?? []);

/** The next lesson of the course; null for the last lesson and for a lesson outside the course. */
export function lessonAfter(id: string): LessonHead | null {
  const ofCourse = LESSONS.filter(({ course }) => course !== undefined);
  const at = ofCourse.findIndex((lesson) => lesson.id === id);
  return at < 0 ? null : (ofCourse[at + 1] ?? null);
}
