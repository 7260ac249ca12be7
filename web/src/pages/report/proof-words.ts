// The texts of files that others can verify. Another language needs another file like this one.

import { counted } from "../../engine/format";

/** Buttons that save the runs of a report. */
export const PROOFS = {
  json: "Save the runs made here as JSON",
  html: "Save the runs made here as a page",
  about: (runs: number) =>
    `${counted(runs, "run")} with experiment, versions and state hash. The command verify checks the file.`,
  mmtests: "Save as MMTests comparison",
  mmtestsJson: "Save the comparison as JSON",
} as const;
