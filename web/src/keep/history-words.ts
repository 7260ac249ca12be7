// The texts of the history of runs: plain strings, and functions for texts that contain values.

/** The messages of the history. */
export const HISTORY = {
  title: "Your runs",
  about: ": every run completed in this browser, with its results and your notes.",
  badHash: "16 hexadecimal digits are needed",
  badAddress: "an address of this page is needed",
  noteSaved: "Note saved.",
  deleted: "Run deleted.",
  restored: "Run restored.",
  notImported: (reason: string) => `The file was not imported. ${reason}`,
  imported: (fresh: number, known: number) => `Imported: ${fresh} new, ${known} known.`,
  notJson: "It is not JSON.",
  file: "The file",
  full: "The browser's storage is full. Delete runs, or export them to a file.",
  denied: "The browser denies storage, so runs are not kept. Everything else works.",
} as const;
