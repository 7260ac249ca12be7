// The texts of the dialog "Smallest example": plain strings, and functions for texts that contain
// values.

import { count, counted } from "../../engine/format";

/** The dialog. */
export const SHRINK = {
  title: "Smallest example",
  openDialog: "Smallest example …",
  about:
    "State what must stay true. The search makes the machine, the workload and the length smaller as long as the statement holds.",
  whatHolds: "What must stay true at the end of the run",
  counter: "Counter",
  is: "Comparison",
  number: "Number",
  numberHelp: "A whole number, another counter, or a multiple of a counter: 10 * pgsteal_direct",
  on: "On",
  ownKernel: "this experiment's kernel",
  patches: (chosen: number) => (chosen === 0 ? "Patches" : `Patches (${chosen})`),
  noPatches: "There are no patches for this kernel.",
  and: "and",
  add: "Add a comparison",
  remove: (place: number) => `Remove comparison ${place}`,
  asText: "As text:",
  start: "Search",
  stop: "Stop and keep the best result",
  again: "Search again",
  starting: "The search runs the original experiment first.",
  goesOn: "The search continues while this dialog is closed.",
  progress: (runs: number, tried: number, all: number) =>
    `${counted(runs, "run")} so far. The search has tried ${count(tried)} of ${counted(all, "experiment")} one step smaller than the best one.`,
  first: "Original",
  best: "Smallest so far",
  smallest: "Smallest",
  size: "Size",
  done: (runs: number) =>
    `Done after ${counted(runs, "run")}: the statement holds for none of the experiments that are one step smaller.`,
  stopped: (runs: number) =>
    `Stopped after ${counted(runs, "run")}. A smaller experiment may exist.`,
  figure: (counter: string, value: number, kernel: string) =>
    `${counter} is ${count(value)} on ${kernel}.`,
  open: "Open it here",
  copy: "Copy the link",
  link: "Link",
  failed: (message: string) => `The search cannot run: ${message}.`,
  notKept: "The browser cannot store the result: it is lost when the page is closed.",
  from: "This result is for the open experiment.",
  other: "This result is for the experiment that was open before.",
} as const;

/** The parts of an experiment's size, in the order of the table. */
export const SIZE_WORDS = {
  nodes: "Nodes",
  cpus: "CPUs",
  pages: "Pages of memory",
  processes: "Processes",
  operations: "Operations",
  length: "Length",
} as const;

/** The errors in a comparison. */
export const FAULTS = {
  counter: "Name a counter.",
  bound: "Write a whole number, a counter, or a number * a counter.",
} as const;
