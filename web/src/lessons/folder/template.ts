// The files of a new lesson, the same as those of `npm run new-lesson`, in one archive.

import { archiveOf } from "./archive";

const files = import.meta.glob<string>("../../../../scripts/lib/lesson-template/*", {
  eager: true,
  query: "?raw",
  import: "default",
});

/** Files of a lesson with their purposes; optional files may be missing. */
export const LESSON_FILES: readonly {
  readonly name: string;
  readonly about: string;
  readonly isOptional?: boolean;
}[] = [
  {
    name: "lesson.json",
    about:
      "Title, one sentence, minutes, and the steps in order. What a reader can turn (knobs), the counters under the stage, and scenes: an experiment at a moment.",
  },
  {
    name: "experiments.json",
    about: "A machine and the workloads that run on it, written as any experiment.",
  },
  {
    name: "index.mdx",
    about: "The text, in Markdown, with a few components that move the stage and ask questions.",
  },
  {
    name: "questions.json",
    about:
      "For each answer, a statement about the run that makes it the right one, and what to say then. No answer is written down: the engine marks.",
  },
  {
    name: "builds.json",
    about: "What a reader is to build, part by part, and the goal the runs must meet.",
    isOptional: true,
  },
  {
    name: "claims.json",
    about:
      "Every sentence that says what happens, with the statements that must hold for it. The project's tests run them; this page does not read it.",
    isOptional: true,
  },
];

/** Components of the prose, each with an example. */
export const LESSON_COMPONENTS: readonly { readonly code: string; readonly about: string }[] = [
  {
    code: '<Step id="begin">…</Step>',
    about: "A step that lesson.json lists. All text is in one.",
  },
  { code: '<At scene="woken">words</At>', about: "Words that bring the stage to a scene." },
  {
    code: '<Turn scene="woken" knob="factor" values="10 100" />',
    about: "A knob that brings the stage to the same moment of another run.",
  },
  { code: '<Ask id="who" />', about: "A question. What follows it shows once it is answered." },
  { code: '<Seeds of="who" />', about: "The same run with many seeds, counted by answer." },
  { code: '<Construct id="fix" />', about: "Something of builds.json that the reader builds." },
  {
    code: '<Published table="fsmark" rows="…" />',
    about: "Rows of a published table that comes with mmscope and that lesson.json names.",
  },
  { code: "<Origin>…</Origin>", about: "Where a sentence is from." },
];

/** The name of the archive's folder, and the title of its lesson. */
const TEMPLATE = { folder: "my-lesson", title: "My lesson" };

/** The template's files by name. */
export const templateFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path.split("/").at(-1) ?? path,
      text.replace('"TITLE"', JSON.stringify(TEMPLATE.title)),
    ]),
  );

/** The template as an archive that contains one folder. */
export function templateArchive(): { readonly name: string; readonly bytes: Uint8Array } {
  return {
    name: `${TEMPLATE.folder}.zip`,
    bytes: archiveOf(TEMPLATE.folder, templateFiles()),
  };
}
