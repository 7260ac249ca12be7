// Finds lessons and loads one when it is read.

import type { ComponentType } from "react";
import { fontsThere } from "../ui/fonts";
import { figuresOf, type LessonData, readLesson } from "./schema";

/** The components a lesson's prose is written with. */
export type ProseComponents = Readonly<Record<string, ComponentType<never>>>;

/** The prose of a lesson. */
export type Prose = ComponentType<{ components: ProseComponents }>;

/** A lesson, loaded. */
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

/** Loads a lesson, once; null where there is none of that name. */
export function loadLesson(id: string): Promise<Lesson | null> {
  const known = loading.get(id) ?? load(id);
  loading.set(id, known);
  return known;
}

/** A file of published figures as it is; undefined where there is none of that name. */
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
  const shown = await publishedFigures(figuresOf(head) ?? "");
  const data = readLesson({ head, experiments, questions, builds, figures: shown });
  return { Prose: Prose as Prose, data };
}
