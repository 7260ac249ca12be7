// A text that is edited in a dialog, with undo and redo.

import { useState } from "react";

/** A text with its past and future versions. */
export interface Edits {
  readonly text: string;
  readonly past: readonly string[];
  readonly future: readonly string[];
  /** The path of the last change: further changes at this path belong to the same undo step. */
  readonly where: string | null;
}

/** A text without changes. */
export const unedited = (text: string): Edits => ({ text, past: [], future: [], where: null });

/** Sets a new text. Successive changes at the same path are undone together. */
export function edited(edits: Edits, text: string, where: string | null = null): Edits {
  if (text === edits.text) return edits;
  const isSame = where !== null && where === edits.where;
  const past = isSame ? edits.past : [...edits.past, edits.text];
  return { text, past, future: [], where };
}

/** The text before the last change. */
export function undone({ text, past, future }: Edits): Edits {
  const before = past.at(-1);
  if (before === undefined) return { text, past, future, where: null };
  return { text: before, past: past.slice(0, -1), future: [...future, text], where: null };
}

/** The text after the change that was undone last. */
export function redone({ text, past, future }: Edits): Edits {
  const after = future.at(-1);
  if (after === undefined) return { text, past, future, where: null };
  return { text: after, past: [...past, text], future: future.slice(0, -1), where: null };
}

/** A text that is being edited; `resume` gives an unfinished earlier version. */
export function useEdits(begin: () => string, resume: () => string | null = () => null) {
  const [edits, setEdits] = useState(() => {
    const begun = unedited(begin());
    return edited(begun, resume() ?? begun.text);
  });
  return {
    ...edits,
    change: (text: string, where?: string) => setEdits((now) => edited(now, text, where)),
    undo: () => setEdits(undone),
    redo: () => setEdits(redone),
  };
}
