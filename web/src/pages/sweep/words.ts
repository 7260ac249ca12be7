// Texts of the sweep page.

import { count, counted } from "../../engine/format";
import type { AxisKind } from "./axes";

/** Figures that every run has, by their names in a file of lines. */
export const TIME = "seconds";
export const STEPS = "steps";
export const ENDED = "ended";
export const HASH = "hash";

export const TITLE = "Sweep";
export const INTRO =
  "Run one experiment with every combination of some values, and see how a figure depends on them.";

export const EXPERIMENT = "Experiment";
export const READY_MADE = "Ready-made experiments";
export const SAVED = "Saved moments";
export const OWN = "From a link or a file";
export const PASTE = "Or paste a link to a moment";
export const USE_LINK = "Use this link";
export const OPEN_FILE = "Open a sweep file";
export const SAVE_FILE = "Save the sweep file";
export const NO_LINK = "This is not a link to a moment of mmscope.";
/** Why the experiment of a link was not opened. */
export const LINK = {
  packed: (detail: string) => `The link was not opened. ${detail}`,
  preset: (id: string) =>
    `The link was not opened. preset: there is no ready-made experiment "${id}".`,
  sweep: (id: string) =>
    `The link was not opened. id: this browser stores no sweep "${id}". It was deleted, or another browser has it.`,
  stays: "Your sweeps are unchanged.",
} as const;
/** Faults of a sweep file. */
export const FILE = {
  at: (
    place: { readonly line: number; readonly column: number } | null,
    field: string,
    reason: string,
  ) =>
    `${place ? `line ${place.line}, column ${place.column}: ` : ""}${field && `${field}: `}${reason}`,
  noObject: "A sweep is a JSON object with the fields experiment and axes.",
  unknownField: "This field is unknown. The known fields are experiment, axes and figures.",
  missing: "This field is missing.",
  experiment: "The id of a ready-made experiment or an object is needed.",
  axes: "An object is needed, with the values of each axis.",
  values: "A list of values is needed, or a range with from, to and, optionally, step.",
  figures: "A list of names is needed.",
} as const;
export const notRead = (name: string, reason: string): string => `${name}: ${reason}`;

export const AXES = "Varied settings";
export const AXES_HELP =
  "Write values with commas (0, 60, 100), a range (1 to 8), or a JSON list. The first two axes with several values are shown; runs that differ only in other axes, such as the seed, share one point.";
export const KINDS: Readonly<Record<AxisKind, string>> = {
  kernel: "Kernel",
  seed: "Seed",
  patches: "Patches",
  machine: "Ready-made machine",
  tunable: "Tunable",
  path: "Another field",
};
export const HINTS: Readonly<Record<AxisKind, string>> = {
  kernel: "3.0, 6.1",
  seed: "1 to 8",
  patches: "none; traceonly; traceonly + obeysync",
  machine: "x86_64-2node-teach",
  tunable: "0, 60, 100",
  path: "1, 2, 4",
};
export const NAME_HINTS = {
  tunable: "vm.swappiness",
  path: "machine.nodes[0].ranges[2].pages",
} as const;
export const ADD_AXIS = "Add an axis";
export const axisName = (n: number): string => `Axis ${n}`;
export const WHAT = "changes";
export const NAME = "name";
export const VALUES = "values";
export const removeAxis = (n: number): string => `Remove axis ${n}`;
export const REMOVE = "Remove";
export const twiceWords = (path: string): string => `Two axes change ${path}. Remove one of them.`;
export const NAMELESS = "An axis has no name yet: choose a tunable, or write the path of a field.";

export const RUNS = "Runs";
export const CHECKING = "Checking every combination …";
export const ENGINE_MISSING = "The engine did not start: ";
export const planned = (all: number, done: number): string =>
  done === 0
    ? `${counted(all, "run")}, none finished.`
    : done === all
      ? `${all === 1 ? "The run has" : `All ${counted(all, "run")} have`} finished.`
      : `${counted(all, "run")}, ${count(done)} finished.`;
export const progress = (done: number, all: number): string =>
  `${count(done)} of ${counted(all, "run")} finished`;
export const left = (words: string): string => `${words} left`;
export const RUN = "Run the sweep";
export const CONTINUE = "Continue the sweep";
export const CANCEL = "Cancel";
export const CANCELLED = "Cancelled. Finished runs are kept.";
export const FORGET = "Delete these results";
export const FORGOTTEN = "The results of this sweep were deleted.";
export const NOT_KEPT =
  "The browser does not store results. They are lost when you leave this page: save them as a file.";
export const failedRun = (axes: string, reason: string): string => `${axes}: ${reason}`;

export const FIGURE = "Figure";
export const OF_RUNS = "Time and steps";
export const OF_REPORTS = "Rows of reports";
export const COUNTERS = "Counters of /proc/vmstat";
export const FIGURE_NAMES: Readonly<Record<string, string>> = {
  [TIME]: "Virtual time, s",
  [STEPS]: "Steps",
};
export const NOTHING_YET = "No run has finished yet.";
export const NO_AXIS = "No axis has several values. The table below shows the run.";
export const NO_VALUES = "No finished run has this figure.";
export const chartName = (figure: string, axes: readonly string[]): string =>
  `${figure} by ${axes.join(" and ")}`;
export const CHART_HELP =
  "A dot is the median of its runs, a bar their range. Select a point to see its runs. Arrow keys move.";
export const HEAT_HELP =
  "A cell shows the median of its runs. Select a cell to see its runs. Arrow keys move.";
export const LEGEND = "Darker cells have higher values";
export const LEGEND_DARK = "Lighter cells have higher values";
export const notRun = "not run";
export const pointName = (axes: string, value: string, range: string, runs: string): string =>
  `${axes}: ${value}${range}, ${runs}`;
export const rangeWords = (low: string, high: string): string => `, from ${low} to ${high}`;
export const runsOf = (done: number, all: number): string =>
  done === all ? counted(all, "run") : `${count(done)} of ${counted(all, "run")}`;

export const POINT = "Selected point";
export const NO_POINT = "Select a point of the chart to see its runs.";
export const OPEN = "Open in the workbench";
export const openRun = (axes: string): string => `Open in the workbench: ${axes}`;
export const SAVES = "Save the results";
export const AS_LINES = "JSON lines";
export const AS_CSV = "CSV";
export const AS_SVG = "The chart as SVG";
export const AS_PARQUET = "Parquet";
export const TABLE = "All finished runs";
export const tableCut = (shown: number, all: number): string =>
  `The first ${count(shown)} of ${counted(all, "run")}. The saved files have all of them.`;
export const EARLIER = "Earlier sweeps";
export const openSweep = (title: string): string => `Open the sweep of ${title}`;
export const removeSweep = (title: string): string => `Delete the sweep of ${title}`;
export const sweepWords = (axes: readonly string[]): string =>
  axes.length === 0 ? "no axes" : axes.join(" × ");

const NUMBER = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });
const LARGE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumSignificantDigits: 3 });

/** A value of a figure with the digits that the user reads. */
export const figureWords = (value: number): string =>
  (Math.abs(value) >= 1000 ? LARGE : NUMBER).format(value);
/** A value in the few characters of an axis or a cell. */
export const shortWords = (value: number): string => SHORT.format(value);
