// The files of a new lesson, the same as those of `npm run new-lesson`, in one archive.

import { archiveOf } from "./archive";
import { TEMPLATE_TEXTS } from "./words";

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
    about: TEMPLATE_TEXTS.lessonJsonHelp,
  },
  {
    name: "experiments.json",
    about: TEMPLATE_TEXTS.experimentsJsonHelp,
  },
  {
    name: "index.mdx",
    about: TEMPLATE_TEXTS.indexMdxHelp,
  },
  {
    name: "questions.json",
    about: TEMPLATE_TEXTS.questionsJsonHelp,
  },
  {
    name: "builds.json",
    about: TEMPLATE_TEXTS.buildsJsonHelp,
    isOptional: true,
  },
  {
    name: "claims.json",
    about: TEMPLATE_TEXTS.claimsJsonHelp,
    isOptional: true,
  },
];

/** Components of the prose, each with an example. */
export const LESSON_COMPONENTS: readonly { readonly code: string; readonly about: string }[] = [
  {
    code: '<Step id="begin">…</Step>',
    about: TEMPLATE_TEXTS.stepListedInLesson,
  },
  { code: '<At scene="woken">words</At>', about: TEMPLATE_TEXTS.wordsThatBringStage },
  {
    code: '<Turn scene="woken" knob="factor" values="10 100" />',
    about: TEMPLATE_TEXTS.knobThatBringsStage,
  },
  { code: '<Ask id="who" />', about: TEMPLATE_TEXTS.questionTextAfter },
  { code: '<Seeds of="who" />', about: TEMPLATE_TEXTS.sameRunWithMany },
  { code: '<Construct id="fix" />', about: TEMPLATE_TEXTS.buildOfBuildsJson },
  {
    code: '<Published table="fsmark" rows="…" />',
    about: TEMPLATE_TEXTS.rowsOfPublishedTable,
  },
  { code: "<Origin>…</Origin>", about: TEMPLATE_TEXTS.whereSentenceIsFrom },
];

/** The name of the archive's folder, and the title of its lesson. */
const TEMPLATE = { folder: "my-lesson", title: TEMPLATE_TEXTS.myLesson };

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
