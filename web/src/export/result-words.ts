// The texts of results: in the share dialog, next to the machine and in files. Plain strings, and
// functions for texts that contain values. Another language needs another file like this one.

import { clock, count, counted } from "../engine/format";
import type { Position } from "../engine/types";

/** The result of a run in the share dialog. */
export const RESULT = {
  title: "Result of the run",
  about:
    "The link can carry the result of the run: its state hash and chosen figures. Whoever opens the link repeats the run in the background, and sees whether it gives the same result.",
  addHere: "Add the result at this moment",
  addEnd: "Add the result of the whole run",
  running: (position: Position | null) =>
    position === null
      ? "Starting the run …"
      : `Running to the end: ${clock(position.time_ns)} s, ${counted(position.step, "step")}`,
  cancel: "Cancel",
  remove: "Remove the result",
  failed: (message: string) => `The result could not be computed: ${message}`,
  summary: (ended: boolean, step: number, figures: number) =>
    `The link carries the result ${ended ? "at the end of the run" : "at a moment of the run"}: ${counted(step, "step")}, ${counted(figures, "figure")}.`,
  hash: "State hash",
  figures: "Figures in the link",
  most: (most: number) => `At most ${most} figures.`,
  file: "Result as a file",
  fileAbout: "The file has the inputs, versions and hash. The command verify checks the file.",
  json: "JSON",
  html: "HTML",
  saved: (name: string) => `Saved as ${name}.`,
  notSaved: "The result could not be read from the engine.",
} as const;

/** The comparison with the result of a link, next to the machine. */
export const CHECK = {
  label: "Result of the link",
  running: "Repeating the run of the link",
  runningAt: (position: Position | null) =>
    position === null ? "starting" : `${clock(position.time_ns)} s, step ${count(position.step)}`,
  cancel: "Cancel",
  cancelled: "The result of the link was not checked: cancelled.",
  again: "Check the result",
  failed: (message: string) => `The run could not be repeated: ${message}`,
  reproduced: "Reproduced",
  reproducedWords: (ended: boolean, figures: number) =>
    `${ended ? "The whole run" : "The run to that moment"} has the state hash of the link${figures === 0 ? "" : ` and the same ${counted(figures, "figure")}`}.`,
  differs: "Differs",
  differsWords: (differences: number) =>
    `The repeated run differs from the link in ${counted(differences, "value")}.`,
  sameEngine: "The engine is the same build.",
  sameVersion: (version: string) =>
    `The engine has the same version, ${version}, but is a different build.`,
  otherEngine: (theirs: string, ours: string) =>
    `The link was made with engine ${theirs}; this page has ${ours}.`,
  value: "Value",
  inLink: "In the link",
  here: "Repeated here",
  none: "none",
  dismiss: "Dismiss",
  fields: {
    hash: "state hash",
    step: "step",
    time_ns: "virtual time, ns",
    ended: "run has ended",
  },
} as const;

/** The HTML page as which a result is saved. */
export const EVIDENCE_PAGE = {
  verify:
    "A result of mmscope. The command “mmscope verify FILE” repeats the run and says whether it gives the same result.",
  engine: "Engine",
  end: "End of the run",
  moment: "Moment",
  position: ({ step, time_ns }: Position) => `${counted(step, "step")}, ${clock(time_ns)} s`,
  called: (fidelity: string, calls: number, note: string) =>
    `${fidelity}, ${counted(calls, "call")}${note && `: ${note}`}`,
  cost: (ns: number, about: string) => `${count(ns)} ns. ${about}`,
  hash: "State hash",
  panic: "Kernel panic",
  open: "Open this moment in mmscope",
  rows: "Report",
  counters: "Counters",
  experiment: "The experiment",
  restsOn: "Models and constants of the run",
  functions: "Functions that the run called",
  absent: "Mechanisms of this kernel that are not modelled",
  costs: "Constants that the run may have used",
} as const;
