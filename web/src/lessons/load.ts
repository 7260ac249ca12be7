// Finds lessons, and loads a lesson when it is opened.

import type { ComponentType } from "react";
import { fontsThere } from "../ui/fonts";
import { figuresOf, type LessonData, readLesson } from "./schema";

/** The components of a lesson's prose. */
export type ProseComponents = Readonly<Record<string, ComponentType<never>>>;

/** The prose of a lesson. */
export type Prose = ComponentType<{ components: ProseComponents }>;

/** A loaded lesson. */
export interface Lesson {
  readonly data: LessonData;
  readonly Prose: Prose;
}

const proses = import.meta.glob<Prose>("../../../lessons/*/index.mdx", { import: "default" });
const files = import.meta.glob<unknown>(
  "../../../lessons/*/{lesson,experiments,questions,builds}.json",
  { import: "default" },
);
const figures = import.meta.glob<unknown>("../../../lessons/figures/*.json", { import: "default" });

const loading = new Map<string, Promise<Lesson | null>>();

/** Loads a lesson once; null if there is no lesson of that name. */
export function loadLesson(id: string): Promise<Lesson | null> {
  const known = loading.get(id) ?? load(id);
  loading.set(id, known);
  return known;
}

/** The content of a file of published figures; undefined if there is no file of that name. */
export const publishedFigures = async (name: string): Promise<unknown> =>
  figures[`../../../lessons/figures/${name}.json`]?.();

async function load(id: string): Promise<Lesson | null> {
  const prose = proses[`../../../lessons/${id}/index.mdx`];
  if (!prose) return null;
  const [Prose, head, experiments, questions, builds] = await Promise.all([
    prose(),
    ...["lesson", "experiments", "questions", "builds"].map((name) =>
      files[`../../../lessons/${id}/${name}.json`]?.(),
    ),
    fontsThere('400 1em "Source Serif"', 'italic 400 1em "Source Serif"'),
  ]);
  const published = await publishedFigures(figuresOf(head) ?? "");
  const data = readLesson({ head, experiments, questions, builds, figures: published });
  return { Prose: Prose as Prose, data };
}
