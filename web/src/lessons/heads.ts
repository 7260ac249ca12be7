// What the first page says of each lesson, without loading it.

/** The head of a lesson. */
export interface LessonHead {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  /** The file of published figures it shows, in `lessons/figures`. */
  readonly figures?: string;
  readonly steps: readonly { readonly id: string }[];
}

const heads = import.meta.glob<Omit<LessonHead, "id">>("../../../lessons/*/lesson.json", {
  eager: true,
  import: "default",
});

/** Every lesson there is, the shortest first. */
export const LESSONS: readonly LessonHead[] = Object.entries(heads)
  .map(([path, head]) => ({ ...head, id: path.split("/").at(-2) ?? "" }))
  .sort((a, b) => a.minutes - b.minutes);

/** The lesson to read after this one; none after the last, and for one that is not listed. */
export function lessonAfter(id: string): LessonHead | null {
  const at = LESSONS.findIndex((lesson) => lesson.id === id);
  return at < 0 ? null : (LESSONS[at + 1] ?? null);
}
