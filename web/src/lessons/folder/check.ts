// Checks a lesson's folder: every file with its schema, then whether the files fit together. The
// page that opens a folder and the tests of our own lessons use the same code.

import { lineIn, readJsonText } from "../json-faults";
import {
  type Claim,
  FILE_SCHEMAS,
  type Figures,
  type LessonData,
  type LessonFiles,
  type Quotation,
  readLesson,
  readPromises,
} from "../schema";
import { type Fault, PROSE_FILE } from "./fault";
import { type Blame, fitFaults } from "./fits";
import { type ProseNode, parseProse } from "./prose";
import { CHECK } from "./words";

/** The texts of a folder, by the names of its files. */
export type FolderTexts = Readonly<Record<string, string>>;

/** A folder that is a valid lesson. */
export interface WholeLesson {
  readonly data: LessonData;
  readonly promises: readonly (Claim | Quotation)[];
  readonly tree: readonly ProseNode[];
}

/** The result of checking a folder. */
export type Checked =
  | { readonly ok: true; readonly lesson: WholeLesson }
  | { readonly ok: false; readonly faults: readonly Fault[] };

type FileName = keyof typeof FILE_SCHEMAS;
const NAMES = Object.keys(FILE_SCHEMAS) as FileName[];
const OPTIONAL: readonly FileName[] = ["builds.json"];

/** Checks a folder; `figuresOf` gives the content of the file of published figures with a name. */
export async function checkFolder(
  texts: FolderTexts,
  figuresOf: (name: string) => Promise<unknown>,
): Promise<Checked> {
  const faults: Fault[] = [];
  const values = new Map<FileName, unknown>();
  for (const name of NAMES) {
    const text = texts[name];
    if (text !== undefined) values.set(name, readJson(name, text, faults));
    else if (!OPTIONAL.includes(name)) faults.push(missing(name));
  }
  const prose = texts[PROSE_FILE];
  if (prose === undefined) faults.push(missing(PROSE_FILE));
  const parsed = parseProse(prose ?? "");
  faults.push(...parsed.faults);
  if (faults.length > 0) return { ok: false, faults };

  const named = figuresName(values.get("lesson.json"));
  const figures = named === undefined ? undefined : await figuresOf(named);
  if (named !== undefined && figures === undefined) {
    return { ok: false, faults: [noFigures(texts, named)] };
  }
  const files: LessonFiles = {
    head: values.get("lesson.json"),
    experiments: values.get("experiments.json"),
    questions: values.get("questions.json"),
    builds: values.get("builds.json"),
    figures: figures as Figures | undefined,
  };
  const promises = readPromises(values.get("claims.json"));
  const lesson = { data: readLesson(files), promises, tree: parsed.tree };
  const blame: Blame = (file, at, reason) =>
    void faults.push({
      file,
      line: typeof at === "string" ? lineIn(texts[file] ?? "", at) : at,
      reason,
    });
  fitFaults(lesson, prose ?? "", blame);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, lesson };
}

const missing = (file: string): Fault => ({
  file,
  line: null,
  reason: CHECK.noFile,
});

const figuresName = (head: unknown): string | undefined =>
  (head as { readonly figures?: string }).figures;

const noFigures = (texts: FolderTexts, name: string): Fault => ({
  file: "lesson.json",
  line: lineIn(texts["lesson.json"] ?? "", "figures"),
  reason: CHECK.noFigures(name),
});

/** Reads a file with its schema, and appends the errors to `faults`. */
function readJson(file: FileName, text: string, faults: Fault[]): unknown {
  const { value, faults: found } = readJsonText(text, FILE_SCHEMAS[file]);
  for (const { line, reason } of found) faults.push({ file, line, reason });
  return value;
}
