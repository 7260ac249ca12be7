// Bookmarks: moments that a user wants to find again.

import type { Workbench } from "./controller";
import type { Bookmark } from "./store";

/** The most bookmarks that a link accepts. */
const MOST_BOOKMARKS = 64;

/** Adds a bookmark at a moment, or removes the one that is there. */
export function toggled(bookmarks: readonly Bookmark[], at: Omit<Bookmark, "note">): Bookmark[] {
  const rest = bookmarks.filter(({ step }) => step !== at.step);
  if (rest.length < bookmarks.length) return rest;
  return [...rest, { ...at, note: "" }].sort((a, b) => a.step - b.step).slice(0, MOST_BOOKMARKS);
}

/** Adds a bookmark at the machine's moment, or removes it. */
export function bookmarkHere(workbench: Workbench): void {
  const { session, bookmarks } = workbench.store.getState();
  const position = session?.frame?.view.position;
  if (!position) return;
  const { step, time_ns } = position;
  workbench.keep({ bookmarks: toggled(bookmarks, { step, time_ns }) });
}
