// Texts somebody was still writing in a dialog when it closed or the page was loaded anew: they stand
// there again. They belong to the tab, as the dialog does.

import { inTab, type Stored } from "../stored";

const TEXTS = "mmscope.unfinished";
const PASTED = "mmscope.pasted";
/** Experiments whose unfinished text is kept. */
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

/** What was being made of an experiment; none where it was not edited, or the edit is open. */
export const unfinishedOf = (experiment: string): string | null =>
  readAll().find(({ of }) => of === experiment)?.text ?? null;

/** Keeps what is being made of an experiment; null forgets it. */
export function keepUnfinished(experiment: string, text: string | null): Stored {
  const others = readAll().filter(({ of }) => of !== experiment);
  const all = text === null ? others : [...others, { of: experiment, text }].slice(-MOST);
  return inTab.write(TEXTS, all.length > 0 ? JSON.stringify(all) : null);
}

/** What was pasted last and no machine was made of. */
export const pasted = (): string => inTab.read(PASTED) ?? "";

/** Keeps what is pasted; an empty text forgets it. */
export const keepPasted = (text: string): Stored => inTab.write(PASTED, text || null);
