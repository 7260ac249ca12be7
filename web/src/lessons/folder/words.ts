// The texts of lessons/folder: plain strings, and functions for texts that contain values.

import { counted } from "../../engine/format";

/** `archive.ts`: A lesson's folder as one file: a zip that contains the folder. */
export const ARCHIVE = {
  tooLarge: "It is larger than 8 MiB, the limit for a lesson.",
  notZip: "It is not a zip archive, or it is damaged: the browser could not unpack it.",
  tooMany: (mostEntries: number) => `It has more than ${counted(mostEntries, "entry", "entries")}.`,
  noLesson: "It contains no lesson: lesson.json must be at the top level or in a folder.",
  fileTooLarge: (own: string) => `Its ${own} is larger than 1 MiB, the limit for each file.`,
  unknownMethod: (own: string) =>
    `Its ${own} is compressed with an unknown method. Use a plain zip.`,
} as const;

/**
 * `check.ts`: Checks a lesson's folder: every file with its schema, then whether the files fit
 * together.
 */
export const CHECK = {
  noFile: "The folder has no such file.",
  noFigures: (name: string) => `There are no published figures called "${name}".`,
} as const;

/** `fits.ts`: Checks whether the files of a lesson fit together: everything that a file names must exist. */
export const FITS = {
  otherIds: (what: string, file: string, listed: string, listed2: string) =>
    `The ${what} of ${file} are ${listed}; this file has ${listed2}.`,
  notInLesson: (what: string, id: string) => `lesson.json has no ${what} called "${id}".`,
  noQuestion: (of: string | undefined) => `questions.json has no question called "${of}".`,
  noTable: (table: string | undefined) => `There is no published table "${table}".`,
  noRow: (table: string | undefined, row: string) => `The table "${table}" has no row "${row}".`,
  stepAsksOneQuestion: "A step can ask only one question.",
  asks: (id: string | undefined, wanted: string) =>
    `lesson.json says that step "${id}" asks ${wanted}`,
  hereItAsks: (says: string, id: string) => `${says}; here it asks ${id}.`,
  mustBeDirectChild: "<Ask> must be a direct child of its step.",
  nothingFollows: "Nothing follows the question. Add the text that explains the result of the run.",
  noExperiment: (id: string) => `experiments.json has no experiment called "${id}".`,
  noKnob: (id: string) => `lesson.json has no knob called "${id}".`,
  isNoneOf: (value: string, listed: string) => `"${value}" is not one of ${listed}.`,
  noScene: (scene: string) => `There is no scene called "${scene}".`,
  noBlank: (name: string) => `No experiment has a blank "${name}".`,
  notItsBlank: (name: string) => `This experiment has no blank "${name}".`,
  notSaid: (says: string) => `The text does not say "${says}".`,
  answersLater: (says: string, id: string) =>
    `"${says}" answers the question "${id}", which comes below it.`,
} as const;

/** `opened.ts`: The lesson of a folder or of an archive. */
export const OPENED = {
  notRead: "The browser could not read this folder.",
} as const;

/** `prose.ts`: A lesson's prose as a tree. */
export const PROSE = {
  badLink: (url: string) =>
    `A link leads to "https://..." or to a page of mmscope, "#/...", not to "${url}".`,
  noImport: "A lesson cannot use import or export.",
  noExpressions: "A lesson cannot contain expressions: { } is allowed only inside attributes.",
  noImages: "A lesson cannot contain images: its figure is the stage.",
  notSupported: (type: string) => `Lessons do not support the Markdown element "${type}".`,
  noComponent: (name: string, all: string) =>
    `There is no component <${name}>. The components are ${all}.`,
  notQuoted: (what: string, name: string) =>
    `The attribute ${what} of <${name}> must be a string in quotes.`,
  noAttribute: (name: string, name2: string) => `<${name}> has no attribute "${name2}".`,
} as const;

/** `read.ts`: Reads the files of a folder that the user dropped or chose. */
export const READ = {
  tooLarge: "It is larger than 1 MiB, the limit for each file.",
  notRead: "The browser could not read it.",
} as const;

/** `shelf.ts`: The user's own lessons in a separate database of the browser. */
export const SHELF = {
  wasRemoved: (title: string) => `${title} was removed.`,
  isBack: (title: string) => `${title} is back.`,
  full: "The browser’s storage is full: the lesson is not kept. Remove another lesson, then open this one again.",
  notKept:
    "The browser does not store lessons: this one is lost when the tab is closed. Save it as a file.",
} as const;

/** `template.ts`: The files of a new lesson, the same as those of `npm run new-lesson`, in one archive. */
export const TEMPLATE_TEXTS = {
  lessonJsonHelp:
    "The title, a summary of one sentence, the minutes that the lesson takes, and the steps in order. It also lists the settings that a reader can change (knobs), the counters under the stage, and the scenes. A scene is a moment of an experiment.",
  experimentsJsonHelp:
    "A machine and the workloads that run on it, in the format of an experiment.",
  indexMdxHelp:
    "The text, in Markdown, with a few components that move the stage and ask questions.",
  questionsJsonHelp:
    "For each answer, the statement about the run that makes it right, and its explanation. There is no answer key: the engine marks the answers.",
  buildsJsonHelp: "The parts that the reader assembles, and the goal that the runs must reach.",
  claimsJsonHelp:
    "Every sentence that says what happens, with the statements that must hold for it. The project's tests run them; this page does not read it.",
  stepListedInLesson: "A step listed in lesson.json. All text belongs to a step.",
  wordsThatBringStage: "A link in the text that shows a scene on the stage.",
  knobThatBringsStage: "A knob that shows the same moment of another run on the stage.",
  questionTextAfter: "A question. The text after it appears once it is answered.",
  sameRunWithMany: "The same run with many seeds, counted by answer.",
  buildOfBuildsJson: "A construction from builds.json, which the reader completes.",
  rowsOfPublishedTable:
    "Rows of a published table that comes with mmscope and that lesson.json names.",
  whereSentenceIsFrom: "The source of a sentence.",
  myLesson: "My lesson",
} as const;
