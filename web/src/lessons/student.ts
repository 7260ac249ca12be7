// The reader's name for files of answers. It is stored only in this browser.

import { inBrowser } from "../stored";
import { saveText } from "../ui/save";
import { isAnswered, type Progress, readProgress } from "./progress";
import { MOST_NAME, progressFileName, writeProgressFile } from "./progress-file";
import { STUDENT } from "./words";

const KEY = "mmscope.student";

/** The name that was entered last; empty if there is none. */
export const readStudent = (): string => (inBrowser.read(KEY) ?? "").slice(0, MOST_NAME);

/** Stores a name. */
const keepStudent = (name: string) => inBrowser.write(KEY, name === "" ? null : name);

/** The stored progress of the lessons that have answers. */
export function answersOf(ids: readonly string[]): Readonly<Record<string, Progress>> {
  const all = ids.map((id) => [id, readProgress(id)] as const);
  return Object.fromEntries(all.filter(([, progress]) => isAnswered(progress)));
}

/** Saves answers as a file with a name; returns a message. */
export function saveAnswers(given: string, lessons: Readonly<Record<string, Progress>>): string {
  const name = given.trim().replace(/\s+/g, " ").slice(0, MOST_NAME);
  if (name === "") return STUDENT.noName;
  if (Object.keys(lessons).length === 0) return STUDENT.noAnswers;
  keepStudent(name);
  const file = progressFileName(name);
  const saved = new Date().toISOString();
  saveText(writeProgressFile({ name, saved, lessons }), file, "application/json");
  return STUDENT.saved(file);
}
