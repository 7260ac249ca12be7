// The type of a fault in a folder, and the name of the prose file.

/** A fault at a place of a file. */
export interface Fault {
  readonly file: string;
  /** From 1; null if it concerns the whole file. */
  readonly line: number | null;
  readonly reason: string;
}

/** The file of the prose. */
export const PROSE_FILE = "index.mdx";
