// What the browser remembers for the page: for good, or for as long as the tab lives. It may be
// denied, full, or not there at all; then the page works on, and says so where it matters.

/** What storage did with something it was given. */
export type Stored = "kept" | "denied" | "full";

/** A storage that never throws. */
export interface GuardedStorage {
  /** What is kept under a key; null where there is nothing, or no storage. */
  readonly read: (key: string) => string | null;
  /** Keeps a text; null forgets it. */
  readonly write: (key: string, text: string | null) => Stored;
}

function guarded(storage: () => Storage): GuardedStorage {
  return {
    read: (key) => {
      try {
        return storage().getItem(key);
      } catch {
        return null;
      }
    },
    write: (key, text) => {
      try {
        if (text === null) storage().removeItem(key);
        else storage().setItem(key, text);
        return "kept";
      } catch (error) {
        return isFull(error) ? "full" : "denied";
      }
    },
  };
}

/** Did the browser run out of room? */
export const isFull = (error: unknown): boolean => /quota/i.test(Object(error).name);

/** What outlives the page: shared by all its tabs. */
export const inBrowser = guarded(() => localStorage);
/** What outlives a reload, in one tab. */
export const inTab = guarded(() => sessionStorage);
