// The type of an error in a folder, and the name of the prose file.

/** An error at a location in a file. */
export interface Fault {
  readonly file: string;
  /** From 1; null if it concerns the whole file. */
  readonly line: number | null;
  readonly reason: string;
}

/** The file of the prose. */
export const PROSE_FILE = "index.mdx";
