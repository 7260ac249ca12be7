// The page states in the order of every legend, stack and table, with their names and tokens.

/** The look of a page state; its index is the byte that the engine uses. */
export interface StateLook {
  /** CSS token without the dashes, and the engine's name. */
  readonly token: string;
  /** The name in legends and sentences. */
  readonly words: string;
}

/** All page states, by the engine's index. */
export const STATES: readonly StateLook[] = [
  { token: "free", words: "free" },
  { token: "anon-active", words: "active anon" },
  { token: "anon-inactive", words: "inactive anon" },
  { token: "file-active", words: "active file" },
  { token: "file-inactive", words: "inactive file" },
  { token: "dirty", words: "dirty" },
  { token: "writeback", words: "writeback" },
  { token: "isolated", words: "isolated" },
  { token: "slab", words: "slab, unmovable" },
  { token: "page-table", words: "page table" },
  { token: "huge", words: "huge" },
  { token: "reserved", words: "reserved" },
];

/** Index of the state of pages on free lists. */
export const FREE = 0;
/** Index of the state of huge pages. */
export const HUGE = 10;

/** The low four bits of a page-state byte are the state; the high bit marks the first frame of
 * a block. */
export const stateOf = (byte: number): number => byte & 0x0f;

/** Whether the next access to a page is a hinting fault, because an entry that maps it is
 * marked. */
export const isMarked = (byte: number): boolean => (byte & 0x40) !== 0;

/** The name of the state with an index. */
export const stateWords = (state: number): string => STATES[state]?.words ?? "unknown";
