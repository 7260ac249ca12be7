// Accesses the browser's storage, either permanent or for the life of the tab. Storage may be
// denied, full or missing. The page then works without storage, and says so where it matters.

/** The result of storing a value. */
export type Stored = "kept" | "denied" | "full";

/** A storage that never throws. */
export interface GuardedStorage {
  /** The text stored under a key; null if there is no text or no storage. */
  readonly read: (key: string) => string | null;
  /** Stores a text; null removes it. */
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

/** Did the browser run out of space? */
export const isFull = (error: unknown): boolean => /quota/i.test(Object(error).name);

/** Storage that all tabs of the page share and that persists. */
export const inBrowser = guarded(() => localStorage);
/** Storage of one tab, which survives a reload. */
export const inTab = guarded(() => sessionStorage);
