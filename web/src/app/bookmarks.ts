// Moments a person wants to find again.

import type { Workbench } from "./controller";
import type { Bookmark } from "./store";

/** As many as a link takes. */
const MOST_BOOKMARKS = 64;

/** The bookmarks with one more at a moment, or without it where there is one. */
export function toggled(bookmarks: readonly Bookmark[], at: Omit<Bookmark, "note">): Bookmark[] {
  const rest = bookmarks.filter(({ step }) => step !== at.step);
  if (rest.length < bookmarks.length) return rest;
  return [...rest, { ...at, note: "" }].sort((a, b) => a.step - b.step).slice(0, MOST_BOOKMARKS);
}

/** Puts a bookmark where the machine stands, or takes it away. */
export function bookmarkHere(workbench: Workbench): void {
  const { session, bookmarks } = workbench.store.getState();
  const position = session?.frame?.view.position;
  if (!position) return;
  const { step, time_ns } = position;
  workbench.keep({ bookmarks: toggled(bookmarks, { step, time_ns }) });
}
