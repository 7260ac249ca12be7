// The texts of the page of the user's runs. Another language needs another file like this one.

import { counted } from "../../engine/format";

/** The texts of the page. */
export const HISTORY = {
  title: "Your runs",
  about:
    "Every run completed in this browser, with the state hash at its end. The runs stay in this browser, and you can save them as a file.",
  none: "No run has been completed yet. Open the workbench and press the End key.",
  noMatch: "No run matches the search.",
  workbench: "Open the workbench",
  search: "Search",
  searchHint: "Title, kernel, hash or note",
  export: "Export as JSON",
  import: "Import JSON",
  undo: "Undo",
  made: "Run",
  hash: "State hash",
  note: "Note",
  figures: (many: number) => counted(many, "figure"),
  steps: (many: number) => counted(many, "step"),
  open: "Open",
  openRun: (title: string) => `Open ${title}`,
  deleteRun: (title: string) => `Delete ${title}`,
  delete: "Delete",
  select: (title: string) => `Compare ${title}`,
  compareHint: "Select two runs to compare.",
  chosen: (many: number) => `${many} of 2 runs selected`,
  comparison: "Comparison of two runs",
  sameHash: "Both runs end in the same state: their hashes are equal.",
  otherHash: "The runs end in different states.",
  sameFigures: "All counters are equal.",
  figure: "Counter",
  difference: "Difference",
  clear: "Clear the selection",
  sources: {
    workbench: "workbench",
    compare: "compare",
    report: "report",
    sweep: "sweep",
  },
  many: (runs: number) => `sweep of ${counted(runs, "run")}`,
} as const;
