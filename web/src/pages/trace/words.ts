// The texts of the page that shows a real machine.

import { clock, count, counted, percent } from "../../engine/format";
import type { StorageResult } from "./stored-files";

/** The page and its controls for opening files. */
export const PAGE = {
  title: "A real machine",
  about:
    "Open a capture or a trace of a real machine. The page shows it in the timeline and the event log of the workbench. The files are read in this browser and never leave it.",
  accepts: [
    "a capture: the folder or the .tar.gz that a measured run writes",
    "a trace of the kernel: the file trace or trace_pipe, the output of “trace-cmd report” or of “perf script”",
    "the output of dmesg with a report of an OOM kill or of a failed page allocation",
    "files of /proc, opened together: zoneinfo with buddyinfo and pagetypeinfo, and vmstat from two moments",
  ],
  drop: "You can also drop a folder or files anywhere on the page. Files may be compressed (.gz).",
  folder: "Choose a folder",
  files: "Choose files",
  another: "Open another",
  close: "Close",
  cancel: "Cancel",
  reading: (names: string) => `Reading ${names}.`,
  notOpened: (names: string) => `${names} was not opened`,
  stays: (name: string) => `${name} stays open.`,
  noReplay:
    "These are records of a machine, not a machine: you can go to any moment and read its events, but not step through the kernel or change anything.",
  noLink: "A link cannot contain these files. To show them to somebody, send the files themselves.",
} as const;

/** What happens with the files at a reload. */
export const KEPT: Readonly<Record<StorageResult, string>> = {
  kept: "This browser keeps the files until the tab is closed: a reload opens them again.",
  large: "The files are larger than 64 MiB and are not kept: after a reload, open them again.",
  full: "The browser’s storage is full: after a reload, open the files again.",
  denied: "The browser keeps no files: after a reload, open them again.",
};

/** What was read. */
export const READ = {
  title: "Contents of the files",
  files: (many: number) => counted(many, "file"),
  events: (stored: number, all: number) =>
    stored === all ? counted(all, "event") : `${count(stored)} of ${counted(all, "event")}`,
  lost: (lost: number) => `${count(lost)} lost: the trace buffer was full`,
  refused: (many: number) => `${counted(many, "line or file", "lines or files")} not read`,
  byKind: "Events by kind",
  unknown: (many: number) => `unknown (${many})`,
  notSimulated: "Not modelled by the engine",
  trace: "Trace",
  ofMachine: "Events of the real machine",
  ofTwin: "Events of its twin",
} as const;

/** `Choose.tsx`: Buttons that open a folder or files. */
export const CHOOSE = {
  filesOfMachine: "Files of a machine",
  folderOfCapture: "Folder of a capture",
  firstAreListed: (mostListed: number) => `The first ${mostListed} are listed.`,
} as const;

/**
 * `Counters.tsx`: The growth of the counters of /proc/vmstat, next to those of the twin if it ran.
 */
export const COUNTERS = {
  counter: "Counter",
  machine: "Machine",
  twin: "Twin",
  ratio: "Twin / machine",
  before: "Before",
  after: "After",
  increase: "Increase",
  counters: "Counters",
  countersOfProcVmstat: "Counters of /proc/vmstat",
  showFewer: "Show fewer",
  showAll: (rows: number) => `Show all ${rows}`,
} as const;

/** `EventPart.tsx`: The event at the playhead, with all its numbers and their meanings. */
export const EVENT_PART = {
  event: "Event",
  eventAt: (step: number) => `Event #${count(step)}`,
  previousEvent: "Previous event",
  nextEvent: "Next event",
  playheadIsBeforeFirstEvent: "The playhead is before the first event.",
  line: (taskName: string, cpu: number, time_ns: number) =>
    `<name/>, ${taskName}, CPU ${cpu}, ${clock(time_ns)} s`,
} as const;

/** `MachineParts.tsx`: All parts of the page that show an open machine. */
export const MACHINE_PARTS = {
  eventLog: "Event log",
  twin: "The twin",
  whoseEvents: "Whose events",
} as const;

/**
 * `ReclaimPart.tsx`: What happened to the pages that reclaim isolated from the inactive lists, over
 * the whole trace.
 */
export const RECLAIM_PART = {
  tasksThatNeededMemory: "tasks that needed memory (direct reclaim)",
  reclaimInThisTrace: "Reclaim in this trace",
  noEvents: (lru_gen: boolean | undefined) =>
    `The trace has no <code>mm_vmscan_lru_isolate</code> and no <code>mm_vmscan_lru_shrink_inactive</code>, so it does not show the outcome for each page.${lru_gen ? " This machine used the multi-generational LRU, for which some kernels do not record these events." : ""}`,
  scanned: "scanned",
  isolated: "isolated",
  reclaimed: "reclaimed",
  otherReasons: "dirty, locked, or for a reason that the events do not print",
  putBackForOtherReasons: "put back for other reasons",
  ofThoseScanned: (value: number) => `, ${percent(value)} of those scanned`,
  by: (who: string) => `By ${who}`,
  summary: (batches: number, reclaimed: number, share: string, dirty: number) =>
    `${counted(batches, "batch", "batches")}; ${counted(reclaimed, "page")} reclaimed${share}.${dirty > 0 ? ` Dirty pages found: ${count(dirty)}.` : ""}`,
  pagesReclaimedBy: (who: string) => `Pages reclaimed by ${who}`,
} as const;

/** `Reports.tsx`: Explains the kernel's reports in words. */
export const REPORTS = {
  cause: "Cause",
  warning: "Warning",
  note: "Note",
  belowItsMark: "below its watermark",
  noBlockOfThisSize: "no block of this size",
  notAllowedForThisRequest: "not allowed for this request",
  whatMachineReports: "Reports of the machine",
  line: (line: number) => `line ${line}`,
  zones: "Zones",
  zonesIn: (unit: string) => `Zones, in ${unit}`,
  zone: "Zone",
  free: "Free",
  min: "Min",
  low: "Low",
  high: "High",
  reserve: "Reserve",
  needsMoreThan: "Needs more than",
  result: "Result",
} as const;

/**
 * `Statics.tsx`: A machine at rest: the watermarks that its kernel printed, next to those of the
 * engine.
 */
export const STATICS = {
  watermarksOfThisMachine: "Watermarks of this machine",
  about: (checked: number, phases: number, differing: number) =>
    `The capture has no run. The engine computes the watermarks of the same machine by the rules of its kernel. It compared ${counted(checked, "zone")} in ${counted(phases, "setting")}: ${differing === 0 ? "all are equal." : `${counted(differing, "setting")} differed.`}`,
  watermarksByZone: "Watermarks by zone",
  zone: "Zone",
  managedPages: "Managed pages",
  kernelMinLowHigh: "Kernel: min / low / high",
  engine: "Engine",
  differs: "Differs",
  no: "no",
} as const;

/** `TracePage.tsx`: A real machine from its files, or the controls to open one. */
export const TRACE_PAGE = {
  whatYouCanOpen: "Files that you can open",
  engineDidNotStart: (failure: string) => `The engine did not start: ${failure}.`,
} as const;

/** `TwinEvents.tsx`: The events of the twin. */
export const TWIN_EVENTS = {
  about: "The twin can be stepped through. Press the number of an event to move the twin to it.",
  openTwinInWorkbench: "Open the twin in the workbench",
} as const;

/** `TwinPart.tsx`: Runs the engine's twin of a capture and shows it together with the machine. */
export const TWIN_PART = {
  sameRunSimulated: "The same run, simulated",
  engineCannotRepeatThisRun: "The engine cannot repeat this run:",
  about: (beside: string) =>
    `The engine runs the same workload on a machine of the same shape. Its lanes, zones and counters then appear in the timeline, labelled “${beside}”.`,
  cancel: "Cancel",
  runTwinAgain: "Run the twin again",
  runTwinBesideIt: "Run the twin",
  removeTwin: "Remove the twin",
  twinDidNotRun: (message: string) => `The twin did not run: ${message}`,
  simulating: "Simulating.",
  progressOfTwin: "Progress of the twin",
  noSamples: "The capture has no samples over time, so the first difference is not known.",
  rule: (leastGrowth: number, mostFactor: number) =>
    `by more than ${leastGrowth} and by more than a factor of ${mostFactor}`,
  noDifference: (rule: string) => `No sampled counter differs ${rule}.`,
  firstDifference: (time_ns: number, real: number, simulated: number, rule: string) =>
    `First difference: at ${clock(time_ns)} s <name/> had grown by ${count(real)} on the machine and by ${count(simulated)} in the twin. It is the first counter that differs ${rule}.`,
  notRepeatedHere: (one: string) => `Not repeated here: ${one}.`,
  notesAboutThisCapture: (all: number) => `Notes about this capture (${all})`,
} as const;

/**
 * `WhatWasRead.tsx`: The contents of the files: kernel, time span, events by kind, and the parts
 * that could not be read.
 */
export const WHAT_WAS_READ = {
  workload: "Workload: <workload/>",
  files: "Files",
  bytes: (bytes: number, use: string) =>
    `<name/>, ${counted(bytes, "byte")}${use === "ignored" ? ", not used" : ""}`,
  event: "Event",
  count: "Count",
  notRead: "<name/>, not read",
} as const;

/** `opened.ts`: The machine whose files are open. */
export const OPENED = {
  nothing:
    "Nothing here is a trace, a capture, a counter file of /proc or a report of the kernel about its memory.",
  andMore: (name: string | undefined, value: number) => `${name} and ${value} more`,
} as const;

/**
 * `reclaim.ts`: What happened to the pages that reclaim isolated, as far as the events of a trace
 * show it: sums over all batches, by kind of reclaimer.
 */
export const RECLAIM = {
  referencedOnce: "referenced once: kept for one more round",
  usedAgainWhile: "used again while they were inactive",
  writeMustEndFirst: "the write must end first",
  markedForImmediateReclaim: "marked for immediate reclaim",
  freedAsSoon: "freed as soon as the write has ended",
  dirtyOnCongestedDevice: "dirty, on a congested device",
  deviceHasTooManyWrites: "the device has too many writes",
  pageTableStillRefers: "a page table still refers to them",
} as const;
