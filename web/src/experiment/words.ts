// The texts of experiment: plain strings, and functions for texts that contain values.

import { clock, count, counted } from "../engine/format";

/** `DisturbDialog.tsx`: Actions on the machine at the present step; each becomes part of the experiment. */
export const DISTURB_DIALOG = {
  disturbMachine: "Disturb the machine",
  forked: (value: number, words: string) => `The run is forked at ${clock(value)} s: ${words}.`,
  ended: "The run has ended here. Go back to disturb it.",
  about: (value: number) =>
    `The change happens at ${clock(value)} s, a time that no CPU has passed yet. The run before it stays the same. Links include the fork, and Undo removes the fork.`,
  caches: "Caches",
  cachesHelp: "Frees the clean pages of all files, as drop_caches = 1 does.",
  dropCaches: "Drop caches",
  tunables: "Tunables",
  tunablesHelp: "Opens the experiment's fields, where you can set a sysctl at this moment.",
  setSysctl: "Set a sysctl",
  kill: "Kill",
  killHelp: "Sends SIGKILL: the task ends and frees all its memory.",
  taskToKill: "Task to kill",
  moveTask: "Move a task",
  moveTaskHelp:
    "Sets the CPUs it may run on, as taskset does. A task on another CPU moves; its memory stays.",
  taskToMove: "Task to move",
  whereItMayRun: "Where it may run",
  node: (node: number) => `node ${node}`,
  move: "Move",
  newMemoryHog: "a new memory hog",
  start: "Start",
  startHelp:
    "Starts one more task of a process, or a hog that touches a share of all memory again and again.",
  processToStart: "Process to start",
  percentOfMemory: "Percent of memory",
  share: "of <field/> % of memory",
  slowDevice: "Slow a device",
  slowDeviceHelp: "From then on the device runs at this share of its original speed.",
  deviceToSlow: "Device to slow",
  percentOfItsSpeed: "Percent of its speed",
  speed: "to <field/> % of its speed",
  slowIt: "Slow it",
  cgroup: "Change a memory cgroup",
  cgroupHelp:
    'Writes a file of a cgroup: pages as a number, a size such as "2 MiB", or "max". memory.reclaim reclaims this amount at once.',
  cgroupToChange: "Memory cgroup to change",
  cgroupFile: "File to write",
  cgroupValue: "Value to write",
  cgroupExample: "2 MiB",
  write: "Write",
  disturbancesInThisRun: "Disturbances in this run",
  removeLabel: (intervention: string) => `Remove: ${intervention}`,
  removedFromRun: "Removed from the run.",
  remove: "Remove",
} as const;

/** `ExperimentDialog.tsx`: The experiment as fields with explanations, and as JSON. */
export const EXPERIMENT_DIALOG = {
  experiment: "The experiment",
  fields: "Fields",
  json: "JSON",
  earlierEdits:
    "These are your edits from before the dialog was closed. They have not been applied yet.",
  notKept: "The browser cannot keep your edits: they are lost when this dialog closes.",
  openFromStart: "Open from the start",
  setAtS: (value: number) => `Set at ${clock(value)} s and continue from there`,
  undoThisEdit: "Undo this edit",
  redo: "Redo",
  undoLastChange: "Undo the last change",
} as const;

/** `ExperimentFields.tsx`: The experiment's parts and all tunables of its kernel, with explanations. */
export const EXPERIMENT_FIELDS = {
  tunables: "Tunables",
  loading: "Loading the contents of machine and workload …",
  describedInJson: "described in the JSON",
} as const;

/** `ExperimentText.tsx`: The experiment as JSON. */
export const EXPERIMENT_TEXT = {
  experimentAsJson: "The experiment as JSON",
  line: (line: number) => `Line ${line}`,
  andMore: (more: number) => `… and ${count(more)} more.`,
  fieldHelp: "Put the caret in a field to read here what it means.",
} as const;

/** `ExplainedText.tsx`: Explains a pasted text of a real machine in sentences. */
export const EXPLAINED_TEXT = {
  cause: "Cause",
  contributes: "Contributes",
  note: "Note",
  line: (line: number, title: string) => `Line ${line}: ${title}`,
  lineButton: (line: number) => `line ${line}`,
} as const;

/** `ImportDialog.tsx`: Reads the user's /proc/zoneinfo and opens the machine that it describes. */
export const IMPORT_DIALOG = {
  yourMachine: "Your machine",
  about:
    "Paste the output of <code>cat /proc/zoneinfo</code>, or the output of <code>dmesg</code> with an OOM report to have it explained. For a memory cgroup, paste its <code>memory.stat</code>, or the output of <code>grep . memory.*</code> in its folder. The text stays in this page; nothing is sent anywhere. For files of a machine, <openCapture/>.",
  contentsOfProcZoneinfo: "Contents of /proc/zoneinfo",
  example: "Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 0\n…",
  readIt: "Read it",
  tooLong: (text: number, mostCharacters: number) =>
    `The text has ${count(text)} characters; the limit is ${count(mostCharacters)}. Paste the output of <code>/proc/zoneinfo</code> alone.`,
  notKept: "The browser cannot keep this text: it is lost when this dialog closes.",
  reading: "Reading …",
  noReader: (failed: string) =>
    `The reader for these files could not be loaded: ${failed}. Press “Read it” to try again.`,
  isTrace: "This text is a trace of the kernel. Save it in a file, then <openCapture/>.",
  noMachine:
    "This text describes no machine that can be opened: a report gives the sizes of the zones in kB, but not their first pages. Paste the machine’s <code>/proc/zoneinfo</code> to open it.",
  openCaptureOrTrace: "open a capture or a trace",
} as const;

/** `ImportOptionFields.tsx`: Settings that a zoneinfo does not contain. */
export const IMPORT_OPTION_FIELDS = {
  listing: "Number of the listing",
  listingHelp: "Needed if the text has several listings of /proc/zoneinfo. The first one is 1.",
  minFree: "vm.min_free_kbytes",
  minFreeHelp: "The total of the min watermarks, divided among the zones by size.",
  scaleFactor: "vm.watermark_scale_factor",
  scaleFactorHelp: "The distance of low and high above min, in ten-thousandths of a zone.",
  reserveRatio: "vm.lowmem_reserve_ratio",
  reserveRatioHelp:
    "How much a zone reserves from requests that could use a higher zone; one number per zone.",
  settingsDumpDoesNotContain: "Settings the dump does not contain",
  mmscopeInfersEachSetting: "mmscope infers each setting that you leave empty from the dump.",
  kernel: "Kernel",
  kernelHelp: "Decides how watermarks are computed. Inferred from the fields of the dump.",
  architecture: "Architecture",
  architectureHelp:
    "Decides where zones end. Inferred from zone names and borders, which is not possible for every machine.",
  pageSize: "Page size",
  pageSizeHelp:
    "Size of the pages that the dump counts. x86 has 4 KiB; many ppc64 servers have 64 KiB.",
  inferred: "inferred",
  exampleAs: (example: string) => `as ${example}`,
} as const;

/**
 * `ImportRefusals.tsx`: Explains why a text is not a zoneinfo, line by line; the button of a line
 * selects the line in the text.
 */
export const IMPORT_REFUSALS = {
  notZoneinfo: "mmscope cannot read this as /proc/zoneinfo",
  severalListings:
    "This text has several listings: choose one under “Settings the dump does not contain”",
  badSettings: "Your settings do not fit this dump",
  show: (path: string) => `Show ${path}`,
} as const;

/** `ImportedMachine.tsx`: The engine's reading of a pasted zoneinfo. */
export const IMPORTED_MACHINE = {
  watermarksByZone: "Watermarks by zone",
  watermarksPastedAndComputed: "Watermarks pasted and computed, in pages",
  zone: "zone",
  minLowHighPasted: "min, low, high pasted",
  computed: "computed",
  verdict: "verdict",
  whatWasInferred: "Inferred settings",
  openThisMachine: "Open this machine",
  onlyChecked: (cannot_run: string) => `This machine can be checked but not opened: ${cannot_run}.`,
  allEqual: "Every watermark computed for this machine equals the pasted one",
  pages: (max: number) => counted(max, "page"),
  someDiffer: (differing: number, zones: number, most: string) =>
    `${count(differing)} of ${counted(zones, "zone")} ${differing === 1 ? "differs" : "differ"} by at most ${most}; the others are equal`,
  zoneIsWithin: (most: string) => `The zone is within ${most}`,
  zonesWithin: (zones: number, most: string) =>
    `${zones === 2 ? "Both" : `All ${count(zones)}`} zones within ${most}`,
  thisMachineCannotBeOpened: "This machine cannot be opened",
  zonePages: (node: number, zone: string, present: number) =>
    `${node}/${zone} (${counted(present, "page")})`,
  equalReservesIncluded: "equal, reserves included",
} as const;

/** `disturbances.ts`: The interventions of an experiment, in words. */
export const DISTURBANCES = {
  toNode: (task: string, node: number) => `${task} to node ${node}`,
  toCpu: (task: string, cpus: string) => `${task} to CPU ${cpus}`,
  toAnyCpu: (task: string) => `${task} to any CPU`,
  atOfItsSpeed: (device: string, share: number) => `${device} at ${share} % of its speed`,
  ofCgroup: (name: string, file: string, value: string) => `${file} of ${name} = ${value}`,
} as const;

/** `experiment-draft.ts`: The experiment that the user edits, as the parts that the form knows. */
export const EXPERIMENT_DRAFT = {
  notObject: (kind: string) => `An experiment must be an object in braces; this is ${kind}.`,
  tunablesNotObject: (kind: string) =>
    `Tunables must be names and values in braces; this is ${kind}.`,
  notValue: (kind: string) =>
    `The value must be a number or a text, such as 256 or "auto"; this is ${kind}.`,
  bareValue: (value: string) => `the bare value ${value}`,
} as const;

/**
 * `field-help.ts`: The documentation of the field at a position in an experiment's text, from the
 * engine's types.
 */
export const FIELD_HELP = {
  trueOrFalse: "true or false",
  limits: (least: number, most: number, of: string) => `${count(least)} to ${count(most)}${of}`,
} as const;

/** `import-machine.ts`: The experiment for an imported machine, and its title. */
export const IMPORT_MACHINE = {
  nodes: (nodes: number) => counted(nodes, "node"),
  cpus: (cpus: number) => counted(cpus, "CPU"),
  yourMachine: (parts: string) => `Your machine: ${parts}`,
} as const;

/** `import-options.ts`: Options that the user adds to a dump, as text fields. */
export const IMPORT_OPTIONS = {
  notWhole: (text: string) => `“${text}” is not a whole number.`,
  notWholeList: (odd: string) =>
    `“${odd}” is not a whole number. Write the numbers as 256 256 32 0 0.`,
} as const;
