// The texts of keep: plain strings, and functions for texts that contain values.

import { count, counted } from "../engine/format";

/**
 * `Caption.tsx`: The note that the author of a link wrote about its moment, shown next to the
 * machine.
 */
export const CAPTION = {
  aboutThisMoment: "About this moment",
  dismiss: "Dismiss the note",
  dismissHelp: "Dismiss the note; Share shows it again",
} as const;

/** `FileButtons.tsx`: Opens the user's own file: a moment, an experiment or a library. */
export const FILE_BUTTONS = {
  openFile: "Open a file",
  savedAs: (name: string) => `Saved as ${name}.`,
  saveAsFile: "Save as file",
} as const;

/** `LibraryDialog.tsx`: The moments that the user saved in this browser. */
export const LIBRARY_DIALOG = {
  savedMoments: "Saved moments",
  engineHasNotLoadedYet: "The engine has not loaded yet.",
  saved: (saved: number) => `Saved${saved > 0 ? ` (${count(saved)})` : ""}`,
  noneSaved: "Nothing yet. What you save stays in this browser.",
  recent: "Recent",
  recentHelp: "Work that a link, a file or another experiment replaced. The last ten are kept.",
  resultsOfReports: (runs: number) => `Results of reports (${count(runs)})`,
  resultsHelp: "Shown again on the report's page, by the same build of the engine.",
  result: (kernel: string) => `<experiment/> with ${kernel}`,
  forgetLabel: (experiment: string, kernel: string) =>
    `Forget the result of ${experiment} with ${kernel}`,
  forget: "Forget",
  saveThisMoment: "Save this moment",
  undo: "Undo",
  eraseQuestion: (erase: string) =>
    `Erase ${erase}? They cannot be restored. The open experiment stays.`,
  erase: "Erase",
  keepThem: "Keep them",
  exportAll: "Export all",
  importOrOpenFile: "Import or open a file",
  eraseEverything: "Erase everything",
  theMoment: "the one moment",
  allMoments: (moments: number) => `all ${counted(moments, "moment")}`,
  oneResult: "one result of a report",
  results: (results: number) => `${counted(results, "result")} of reports`,
  onlyMoments: (first: string) => `${first}, saved and recent`,
  momentsAnd: (first: string, second: string) => `${first}, saved and recent, and ${second}`,
} as const;

/**
 * `MomentFields.tsx`: The user's title and note for this moment, saved with every typed character.
 */
export const MOMENT_FIELDS = {
  title: "Title",
  titleHelp: "What this moment shows",
  note: "Note",
  noteHelp: "What to look at, and why",
  charactersLeft: (left: number, most: number) =>
    `${count(left)} of ${count(most)} characters left`,
} as const;

/** `MomentRow.tsx`: One moment of the library, with its actions. */
export const MOMENT_ROW = {
  unreadable: "This moment cannot be read",
  openLabel: (name: string) => `Open ${name}`,
  open: "Open",
  renameLabel: (name: string) => `Rename ${name}`,
  rename: "Rename",
  deleteLabel: (name: string) => `Delete ${name}`,
  deleteWords: "Delete",
  title: "Title",
  cancel: "Cancel",
  experiment: "An experiment",
  withKernel: (experiment: string, kernel: string) => `${experiment}, kernel ${kernel}`,
  atItsStart: "at the start",
} as const;

/** `database.ts`: The library in IndexedDB. */
export const DATABASE = {
  blocked: "Another tab has an older library open. Close that tab, then open this dialog again.",
  silent: "The browser does not respond to requests for saved moments. Nothing was changed.",
  full: "The browser's storage is full: nothing was saved. Delete something, or save a file.",
  newer: "A newer version of mmscope wrote this library. Reload the page to get that version.",
  denied:
    "The browser denies storage for saved moments. Everything else works. Save a moment as a file instead.",
  failed: (message: string) =>
    `The browser's storage failed (${message}). Everything else works. Save a moment as a file instead.`,
} as const;

/** `file.ts`: Writes and reads a moment, or a whole library, as a human-readable file. */
export const FILE = {
  at: (line: number, column: number, reason: string) => `Line ${line}, column ${column}: ${reason}`,
  otherFormat: (format: string) => `Its format is ${format}.`,
  notOurs: "It is JSON, but neither a saved moment of mmscope nor an experiment.",
  tooLarge: (amount: number, most: number) =>
    `It has ${counted(amount, "byte")}; the limit is ${count(most)}.`,
  mustBeObject: "must be an object.",
  besideExperiment: "not allowed together with a whole experiment.",
  newerFormat: (format: number, newest: number) =>
    `It has format ${format}; this page reads formats up to ${newest}.`,
  notList: (place: string) => `${place}moments: must be a list.`,
} as const;

/** `library.ts`: Actions of the user on the library. */
export const LIBRARY = {
  savedAlready: "This moment is saved already.",
  resultForgotten: "Result forgotten.",
  resultsForgotten: "Results forgotten.",
  erased: "Everything was erased. Your runs and their notes stay.",
  exportIncomplete: (moments: string, missing: number) =>
    `${moments} cannot be read by this page, and ${missing === 1 ? "is" : "are"} not in the file.`,
  exported: (moments: string) => `${moments} exported.`,
  moreCannotBeRead: (more: string) => `${more} more cannot be read.`,
  moments: (n: number) => counted(n, "moment"),
  alreadyHere: (moments: string, known: number) =>
    ` ${moments} ${known === 1 ? "was" : "were"} here already.`,
  added: (moments: string, skipped: string) => `${moments} added.${skipped}`,
  failed: (error: string) => `The library failed: ${error}.`,
} as const;

/**
 * `open-file.ts`: Opens a file that the user chose or dropped: a moment, an experiment, or a
 * library.
 */
export const OPEN_FILE = {
  loading: "The engine is still loading. Open the file when the machine appears.",
  trace:
    "It looks like a trace or a capture of a real machine. Choose “Your machine”, then “open a capture or a trace”.",
  unreadable: "The browser could not read it.",
} as const;
