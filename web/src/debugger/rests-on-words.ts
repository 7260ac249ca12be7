// The texts of the panel that says what a run rests on. Another language needs another file like
// this one.

import { count, counted } from "../engine/format";
import type { Fidelity } from "../engine/types";

/** The texts of the panel. */
export const RESTS_ON = {
  title: "Models and constants of this run",
  about: (step: number) => `The run so far, up to step ${count(step)}.`,
  moving: "Pause the machine to see the models and constants of the run.",
  loading: "Reading …",
  failed: "The engine did not answer.",
  mechanisms: "All mechanisms of this kernel",
  functions: {
    mirrored: "Mirrored functions that ran",
    simplified: "Simplified functions that ran",
    absent: "Functions that are not modelled",
  } satisfies Record<Fidelity, string>,
  calls: (calls: number) => counted(calls, "call"),
  absent: "Absent mechanisms of this kernel",
  costs: "Constants that the run may have used",
  costsAbout:
    "Virtual time that an operation takes on this machine. A constant that is not listed has not influenced the run.",
  ns: (ns: number) => `${count(ns)} ns`,
} as const;
