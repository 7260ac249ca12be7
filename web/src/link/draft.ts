// The draft: what a person had open last, kept in the browser. Storage may be denied or full; then
// the page works on and says so.

const KEY = "mmscope.draft";

/** What storage did. */
export type DraftState = "kept" | "denied";

/** Reads the draft as a packed link. */
export function readDraft(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Keeps a packed link as the draft. */
export function keepDraft(packed: string): DraftState {
  try {
    localStorage.setItem(KEY, packed);
    return "kept";
  } catch {
    return "denied";
  }
}
