// What the first page says of each lesson, without loading it.

import type { Course } from "./schema";

/** The head of a lesson. */
export interface LessonHead {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  readonly course?: Course;
  /** The file of published figures it shows, in `lessons/figures`. */
  readonly figures?: string;
  readonly steps: readonly { readonly id: string }[];
}

const heads = import.meta.glob<Omit<LessonHead, "id">>("../../../lessons/*/lesson.json", {
  eager: true,
  import: "default",
});

/** The parts of the course, in the order in which they are read. */
export const PARTS: readonly Course["part"][] = ["basics", "mechanisms", "series"];

/** A lesson outside the course comes last. */
const positionOf = ({ course }: LessonHead) =>
  course ? PARTS.indexOf(course.part) * 100 + course.place : PARTS.length * 100;

/** Every lesson there is, in the order of the course. */
export const LESSONS: readonly LessonHead[] = Object.entries(heads)
  .map(([path, head]) => ({ ...head, id: path.split("/").at(-2) ?? "" }))
  .sort((a, b) => positionOf(a) - positionOf(b));

/** The lesson to read after this one; none after the last, and for one that is not listed. */
export function lessonAfter(id: string): LessonHead | null {
  const at = LESSONS.findIndex((lesson) => lesson.id === id);
  return at < 0 ? null : (LESSONS[at + 1] ?? null);
}
