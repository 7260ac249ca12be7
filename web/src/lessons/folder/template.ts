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
    about: "A machine and the workloads that run on it, in the format of an experiment.",
  },
  {
    name: "index.mdx",
    about: "The text, in Markdown, with a few components that move the stage and ask questions.",
  },
  {
    name: "questions.json",
    about:
      "For each answer, the statement about the run that makes it right, and its explanation. There is no answer key: the engine marks the answers.",
  },
  {
    name: "builds.json",
    about: "What the reader builds, part by part, and the goal that the runs must reach.",
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
    about: "A step listed in lesson.json. All text belongs to a step.",
  },
  { code: '<At scene="woken">words</At>', about: "Words that bring the stage to a scene." },
  {
    code: '<Turn scene="woken" knob="factor" values="10 100" />',
    about: "A knob that brings the stage to the same moment of another run.",
  },
  { code: '<Ask id="who" />', about: "A question. The text after it appears once it is answered." },
  { code: '<Seeds of="who" />', about: "The same run with many seeds, counted by answer." },
  { code: '<Construct id="fix" />', about: "A build of builds.json, which the reader builds." },
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
