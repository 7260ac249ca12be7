// The texts of the timeline and its dialogs: plain strings, and functions for texts that contain
// values. Another language needs another file like this one.

import { clock, count, counted, duration } from "../engine/format";
import type { Doing, ReclaimWait } from "../engine/rows";

/** The timeline itself. */
export const TIMELINE = {
  title: "Timeline",
  chart: "The run over time",
  folded: "Free pages over time",
  playhead: "Playhead",
  wholeRun: "whole run",
  seenSoFar: "seen so far",
  ofLength: (length_ns: number) => ` of ${duration(length_ns)}`,
  pixels: (height: number) => `${height} px`,
  wholeRunOf: (length_ns: number) => `Whole run, ${duration(length_ns)}`,
  height: "Height of the timeline",
  heightHelp: "Drag to show more lanes. Double-click to fit as many as possible.",
  foldLanes: "Fold lanes",
  moreLanes: (lanes: number) => counted(lanes, "more lane"),
  unchangedLanes: (lanes: number) => counted(lanes, "unchanged lane"),
} as const;

/** The activity of a task at a moment. */
export const DOING_WORDS: Readonly<Record<Doing, string>> = {
  gone: "",
  asleep: "asleep",
  running: "running",
  ready: "waits for a CPU",
  reclaiming: "reclaiming",
  throttled: "throttled",
  io: "I/O wait",
  written: "throttled until writes end",
  isolated: "throttled until fewer pages are isolated",
  noprogress: "throttled until reclaim makes progress",
  congested: "throttled until a congested queue drains",
};

/** For a task that reclaimed between two moments, but not at either of them. */
export const SHORT_WORDS = "reclaimed since the previous sample";

/** Why a task is throttled, short enough for its lane. */
export const WAIT_WORDS: Readonly<Record<ReclaimWait, string>> = {
  written: "writes",
  isolated: "isolated",
  noprogress: "no progress",
  congested: "queues",
};

/** Marks on the row of times, and the numbers of the lanes. */
export const MARKS = {
  disturbance: (time_ns: number, words: string) => `${clock(time_ns)} s: ${words}`,
  fallback: (from: number, to: string, time_ns: number) =>
    `First fallback from node ${from} to node ${to}, at ${clock(time_ns)} s`,
  bookmark: (time_ns: number, note: string) =>
    `Bookmark at ${clock(time_ns)} s${note ? `: ${note}` : ""}`,
  range: (length_ns: number) => `Range of ${duration(length_ns)}`,
  lastChange: (counter: string, value: string) => `${counter}, ${value}: go to its last change`,
} as const;

/** The tools next to the timeline's title. */
export const TOOLS = {
  rangeOf: "Range of",
  counting: "counting …",
  unchanged: "no counter changed",
  scanned: (scanned: number, freed: number, share: string) =>
    `scanned ${count(scanned)}, freed ${count(freed)} (${share})`,
  allTotals: "All totals",
  traced: "has events",
  zoomToRange: "Zoom to range",
  clear: "Clear",
  zoom: "Zoom of the timeline",
  lessTime: "Show less time",
  moreTime: "Show more time",
  wholeRun: "Whole run",
  counters: "Counters",
  bookmarks: "Bookmarks",
  paid: "Who paid",
  disturb: "Disturb",
} as const;

/** The dialog of bookmarks. */
export const BOOKMARKS = {
  title: "Bookmarks",
  none: "Bookmarks you add are listed here, each with a note. Links include them.",
  some: "Links include bookmarks and their notes.",
  add: "Bookmark this moment",
  removeHere: "Remove the bookmark here",
  remove: "Remove",
  goTo: (where: string, step: number) => `Go to ${where}, step ${count(step)}`,
  noteAt: (where: string) => `Note at ${where}`,
  note: "note",
  removeAt: (where: string) => `Remove the bookmark at ${where}`,
} as const;

/** The dialog of a range's totals. */
export const RANGE = {
  title: "Totals in the range",
  counting: "Counting …",
  about: (from_ns: number, to_ns: number) =>
    `From ${clock(from_ns)} s to ${clock(to_ns)} s (${duration(to_ns - from_ns)}). The range begins and ends at the nearest samples of the timeline; the counts between them are exact.`,
  costs: (pages: number) => `Cost per page, ${counted(pages, "page")} allocated in the range`,
  costHeads: ["Cost", "Total", "Per page"],
  scannedBy: (who: string) => `scanned by ${who}`,
  stalledIn: (who: string) => `stalled in ${who}, ended in the range`,
  counterHeads: ["Counter", "Increase", "Per second"],
  none: "No counter changed.",
} as const;

/** The timeline as a table. */
export const TABLE = {
  title: "The timeline as a table",
  none: "No machine is open yet.",
  about: (moments: number) =>
    `${counted(moments, "sample")}: free pages of each zone, counters since boot, and what each task was doing.`,
  save: "Save as CSV",
  moments: "Samples of the timeline",
  step: "Step",
  time: "Time, s",
  freePages: "Free pages",
  counters: "Counters",
  tasks: "Tasks",
  goTo: (step: number) => `Go to step ${count(step)}`,
} as const;

/** The dialog of counters to draw. */
export const TRACKS = {
  title: "Counters over time",
  about: (most: number, chosen: number) =>
    `Choose up to ${most} counters of /proc/vmstat. Below the zones, the timeline draws how fast each of them grows. ${chosen} chosen.`,
  find: "Find a counter",
  findShort: "find",
  onlyChanged: "only counters that have changed",
  counters: "Counters",
  none: "No counter matches.",
} as const;

/** The line of sentences over the timeline. */
export const TICKER = {
  title: "What happens",
  before: "What happened before",
  earlier: "Earlier",
  nothing: "Nothing notable yet.",
  at: (time_ns: number, step: number) => `${clock(time_ns)} s, step ${count(step)}`,
  looking: (words: string, step: number) => `Looking for the ${words}: #${count(step)} (Esc stops)`,
  /** The subject of a repetition if no task's name is known. */
  kernel: "The kernel",
} as const;
