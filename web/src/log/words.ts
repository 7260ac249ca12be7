// The texts of log: plain strings, and functions for texts that contain values.

import { count, counted } from "../engine/format";

/** `EventLog.tsx`: The contents of the log and its filters, in a drawer or a dialog. */
export const EVENT_LOG = {
  searchEvents: "Search the events",
  search: "Search",
  earlier: "Earlier",
  fromStart: "From the start",
  searching: (at: number, from: number, to: number) =>
    `Searching: at #${count(at)}, from #${count(from)} to #${count(to)}`,
  stop: "Stop",
  showAll: "Show all",
  failed: (failure: string) => `The log could not be read: ${failure}.`,
  decisions: (many: number) => counted(many, "decision"),
  events: (many: number) => counted(many, "event"),
  eventsAndDecisions: (many: number) => counted(many, "event and decision", "events and decisions"),
  someOf: (shown: number, many: string) => `${count(shown)} of ${many}`,
  recentOnly: (found: string, steps: number, to: number) =>
    `${found}. For a machine of this size, only the last ${steps} steps are available, up to #${count(to)}.`,
  fromTo: (found: string, from: number, to: number) =>
    `${found} from ${from === 0 ? "the start" : `#${count(from)}`} to #${count(to)}.`,
  onlyNewest: (most: number) =>
    `The log lists only the newest ${counted(most, "record")}: narrow the filter to see older ones.`,
} as const;

/** `LogExports.tsx`: Saves the events that are shown, in formats of other programs. */
export const LOG_EXPORTS = {
  group: "Save the listed events",
  csv: "CSV",
  csvHelp: "As a table",
  json: "JSON",
  jsonHelp: "As JSON objects",
  trace: "Trace",
  traceHelp: "Chrome JSON trace with a lane per task and a counter per zone. Perfetto opens it.",
  ftraceFailed: (reason: unknown) => `The ftrace text could not be made: ${reason}.`,
  copied: "Copied as ftrace text.",
  copyFtrace: "Copy ftrace",
  copyFtraceHelp:
    "Events in the format of the kernel's trace file. Decisions are left out because the kernel does not trace them.",
  ftraceForScripts: "ftrace for scripts",
  ftraceForScriptsHelp:
    "The same events without the flags column: the kernel's trace-pagealloc-postprocess.pl cannot read that column. The first lines of the file name the fields and events that the scripts do not find.",
} as const;

/** `LogFilters.tsx`: Chips that limit which events the engine collects. */
export const LOG_FILTERS = {
  pageAllocator: "Page allocator",
  reclaim: "Reclaim",
  filesAndWriteback: "Files and writeback",
  blockDevices: "Block devices",
  none: "None",
  shown: "Shown",
  shownHelp: "Shows a sentence with the reason for each step among the events.",
  only: "Only",
  onlyHelp: "Lists only the sentences, without the events.",
  all: "All",
  tracepoints: "Tracepoints",
  tracepointsHelp: "Events that a real kernel can trace as well.",
  ownEventHelp: "An event of the engine, not of the kernel.",
  task: "Task",
  event: "Event",
  decisions: "Decisions",
  zone: "Zone",
  page: "Page",
  pageHelp: "Page frame or range of page frames",
} as const;

/**
 * `LogPanel.tsx`: The event log: a drawer over the bottom of the stage if there is space, otherwise
 * a dialog.
 */
export const LOG_PANEL = {
  eventLog: "Event log",
  closeEventLog: "Close the event log",
} as const;

/** `LogTable.tsx`: The events as a grid that renders only the rows in view. */
export const LOG_TABLE = {
  events: "Events",
  noEventMatches: "No event matches.",
  goToStep: (step: number) => `Go to step ${count(step)}`,
  decision: " decision",
  engine: " engine",
} as const;

/** `formats.ts`: Names in a saved trace. */
export const FORMATS = {
  waitsForCpu: "waits for a CPU",
  atMoments: (title: string) => `${title}, samples`,
} as const;

/** `ftrace.ts`: The description in a saved trace. */
export const FTRACE = {
  about: (id: string, kernel: string, machine: string, seed: number) =>
    `${id}, kernel ${kernel}, machine ${machine}, seed ${seed}`,
} as const;
