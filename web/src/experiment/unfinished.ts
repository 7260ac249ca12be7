// Unfinished texts of a dialog, which return after the dialog closed or the page was reloaded. They
// belong to the tab, like the dialog.

import { inTab, type Stored } from "../stored";

const TEXTS = "mmscope.unfinished";
const PASTED = "mmscope.pasted";
/** The maximum number of experiments with an unfinished text. */
const MOST = 4;

interface Unfinished {
  /** The experiment that was being edited. */
  readonly of: string;
  readonly text: string;
}

function readAll(): readonly Unfinished[] {
  try {
    const list: unknown = JSON.parse(inTab.read(TEXTS) ?? "[]");
    return Array.isArray(list) ? list.filter(isUnfinished) : [];
  } catch {
    return [];
  }
}

const isUnfinished = (value: unknown): value is Unfinished =>
  typeof Object(value).of === "string" && typeof Object(value).text === "string";

/** The unfinished text of an experiment; null if it was not edited, or the edit was opened. */
export const unfinishedOf = (experiment: string): string | null =>
  readAll().find(({ of }) => of === experiment)?.text ?? null;

/** Stores the unfinished text of an experiment; null deletes it. */
export function keepUnfinished(experiment: string, text: string | null): Stored {
  const others = readAll().filter(({ of }) => of !== experiment);
  const all = text === null ? others : [...others, { of: experiment, text }].slice(-MOST);
  return inTab.write(TEXTS, all.length > 0 ? JSON.stringify(all) : null);
}

/** The last pasted text from which no machine was opened. */
export const pasted = (): string => inTab.read(PASTED) ?? "";

/** Stores the pasted text; an empty text deletes it. */
export const keepPasted = (text: string): Stored => inTab.write(PASTED, text || null);
