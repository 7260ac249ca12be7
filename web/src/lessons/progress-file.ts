// A reader's answers as a file, for a teacher or as a backup. The file has the same content as the
// browser's storage, without marks: when it is opened, the engine marks the answers.

import * as v from "valibot";
import { shortSentence } from "../engine/shortened";
import { readJsonText } from "./json-faults";
import { PROGRESS } from "./progress";
import { PROGRESS_FILE } from "./words";

/** The first field of the file. */
const FORMAT = "mmscope progress";
/** Format of the file; a change raises it, and files of earlier formats still open. */
const VERSION = 1;
/**
 * Largest size of a file in bytes; the answers to every question of all lessons need a tenth of it.
 */
const MOST_BYTES = 1_048_576;
/** Most characters of a name. */
export const MOST_NAME = 100;

const header = v.object({ format: v.literal(FORMAT), v: v.literal(VERSION) });

/** The name of a student, without surrounding spaces. */
const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MOST_NAME));

const file = v.object({
  ...header.entries,
  name,
  /** When it was saved. */
  saved: v.pipe(v.string(), v.isoTimestamp()),
  /** By the ids of the lessons. */
  lessons: v.record(v.string(), PROGRESS),
});

/** A student's answers. */
export type ProgressFile = Omit<v.InferOutput<typeof file>, "format" | "v">;

/** The result of reading a file: answers or an error. */
export type ReadProgress =
  | { readonly ok: true; readonly file: ProgressFile }
  | { readonly ok: false; readonly fault: string };

/** Writes a file. */
export const writeProgressFile = ({ name, saved, lessons }: ProgressFile): string =>
  `${JSON.stringify({ format: FORMAT, v: VERSION, name, saved, lessons }, null, 2)}\n`;

/** The file name for a student. */
export function progressFileName(student: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file name has them
  const bare = student.replace(/[\\/:*?"<>|\u0000-\u001f.]+/g, " ").replace(/\s+/g, " ");
  return `${bare.trim().slice(0, 60).trim() || "answers"}.mmscope-progress.json`;
}

/** Reads the text of a file. */
export function readProgressText(text: string): ReadProgress {
  const head = readJsonText(text, v.object({ format: v.unknown(), v: v.unknown() }));
  const [wrong] = head.faults;
  if (wrong && head.value === undefined) return { ok: false, fault: sentence(wrong) };
  const { format, v: version } = head.read ?? {};
  if (format !== FORMAT) {
    return { ok: false, fault: PROGRESS_FILE.noAnswers };
  }
  if (typeof version === "number" && version > VERSION) {
    const fault = PROGRESS_FILE.newerFormat(version, VERSION);
    return { ok: false, fault };
  }
  const { read, faults } = readJsonText(text, file);
  const [first] = faults;
  if (first || !read) {
    return { ok: false, fault: first ? sentence(first) : PROGRESS_FILE.unreadable };
  }
  return { ok: true, file: { name: read.name, saved: read.saved, lessons: read.lessons } };
}

const sentence = ({ line, reason }: { line: number | null; reason: string }): string =>
  `${line === null ? "" : `Line ${line}: `}${shortSentence(reason)}`;

/** Reads a file that the user chose or dropped. */
export async function readProgressBlob(blob: Blob): Promise<ReadProgress> {
  if (blob.size > MOST_BYTES) {
    return { ok: false, fault: PROGRESS_FILE.tooLarge };
  }
  try {
    return readProgressText(await blob.text());
  } catch {
    return { ok: false, fault: PROGRESS_FILE.notRead };
  }
}
