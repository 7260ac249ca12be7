// The texts of the page that shows a real machine.

import { count, counted } from "../../engine/format";
import type { StorageResult } from "./stored-files";

/** The page and the ways to open something. */
export const PAGE = {
  title: "A real machine",
  about:
    "Open a capture or a trace of a real machine. The page shows it in the timeline and the event log of the workbench. The files are read in this browser and never leave it.",
  accepts: [
    "a capture: the folder or the .tar.gz that a measured run leaves",
    "a trace of the kernel: the file trace or trace_pipe, the output of “trace-cmd report” or of “perf script”",
    "the output of dmesg with a report of an OOM kill or of a failed page allocation",
    "files of /proc together: zoneinfo with buddyinfo and pagetypeinfo, and vmstat from two moments",
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
  title: "What was read",
  files: (many: number) => counted(many, "file"),
  events: (stored: number, all: number) =>
    stored === all ? counted(all, "event") : `${count(stored)} of ${counted(all, "event")}`,
  lost: (lost: number) => `${count(lost)} lost: the trace buffer was full`,
  refused: (many: number) => `${counted(many, "line or file", "lines or files")} not read`,
  byKind: "Events by kind",
  unknown: (many: number) => `unknown (${many})`,
  notSimulated: "What the engine does not model",
  trace: "Trace",
  ofMachine: "Events of the real machine",
  ofTwin: "Events of its twin",
} as const;
