// What is wrong with a folder, and the name of its prose.

/** What is wrong at a place of a file. */
export interface Fault {
  readonly file: string;
  /** From 1; none where it is about the whole file. */
  readonly line: number | null;
  readonly reason: string;
}

/** The file of the prose. */
export const PROSE_FILE = "index.mdx";
