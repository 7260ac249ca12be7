// The texts of experiment/forms: plain strings, and functions for texts that contain values.

import { count, counted, size } from "../../engine/format";

/** `FormField.tsx`: A field of the machine or the workload, with its explanation next to it. */
export const FORM_FIELD = {
  usualDefault: (usual: string) => `default: ${usual}`,
} as const;

/** `ListParts.tsx`: Buttons that move an item within its list and remove it. */
export const LIST_PARTS = {
  moveUp: (words: string) => `Move up: ${words}`,
  moveDown: (words: string) => `Move down: ${words}`,
  remove: (words: string) => `Remove: ${words}`,
} as const;

/** `MachineForm.tsx`: The parts of a machine: nodes, distances, zones, speed of memory, devices, tunables. */
export const MACHINE_FORM = {
  nodes: "Nodes",
  addNode: "Add a node",
  speedOfMemory: "Speed of memory",
  noSpeed: "Not set: every access costs the same, wherever its page is.",
  devices: "Devices",
  noDevices: "Not set: the machine has one disk, typical of its time, with swap space.",
  addDevice: "Add a device",
  tunables: "Tunables",
  memoryOf: (name: string) => `Memory of ${name}`,
  addRange: "Add a range",
  notManaged: "Not managed",
  range: (value: number) => `Range ${value}`,
  rangeTools: (value: number) => `range ${value}`,
  distances: "Distances",
  fromWords: "from",
  nameTo: (name: string) => `to ${name}`,
  distanceFromTo: (from: string, to: string) => `Distance from ${from} to ${to}`,
  setAtBoot: "Set at boot",
  noneSet: "none",
  someSet: (set: number) => `${set}; the experiment's own tunables are set afterwards`,
  device: (name: string) => `device ${name}`,
} as const;

/** `PartForm.tsx`: A machine or a workload that unfolds into its form. */
export const PART_FORM = {
  inside: (base: string) => `Inside the ${base}`,
  jsonOnly: (base: string) => `This ${base} can only be changed in the JSON.`,
  ownCopy: (base: string) =>
    `A change makes your own copy of this ${base}; the ready-made one stays unchanged.`,
} as const;

const list = (ids: readonly string[]) => ids.join(", ");

/** The patches of an experiment. */
export const PATCHES = {
  legend: "Patches on top of the kernel",
  others: (count: number) =>
    count === 1 ? "1 patch for other kernels" : `${count} patches for other kernels`,
  requires: (ids: readonly string[]) => `Builds on ${list(ids)}.`,
  added: (ids: readonly string[]) =>
    `Also switched on, because the patch builds on it: ${list(ids)}.`,
  removed: (ids: readonly string[]) => `Also switched off, because it does not fit: ${list(ids)}.`,
} as const;

/** `WorkloadForm.tsx`: The parts of a workload: its files, its processes, and the program of each process. */
export const WORKLOAD_FORM = {
  inCgroup: (name: string) => `in cgroup ${name}`,
  processes: "Processes",
  addProcess: "Add a process",
  files: "Files",
  addFile: "Add a file",
  startedByOtherProcesses: "started by other processes",
  atStart: (value: string) => `${value} at the start`,
  process: (name: string) => `process ${name}`,
  whatItDoes: "Operations",
  addToLoop: "Add to the loop",
  addOperationTo: (of: string) => `Add an operation to ${of}`,
  operation: "Operation",
  operationHelp: "The kind of operation.",
  pages: (amount: number) => counted(amount, "page"),
  manyOfEach: (many: string, each: string) => `${many} of ${each}`,
  file: (name: string) => `file ${name}`,
} as const;

/**
 * `Zones.tsx`: The zones that a machine defines to replace the kernel's own, each with its border.
 */
export const ZONES = {
  zones: "Zones",
  byKernel: "The kernel’s build decides which zones there are and where they end.",
  addZone: (kind: string) => `Add zone ${kind}`,
  setZonesByHand: "Set the zones by hand",
  zone: (name: string) => `zone ${name}`,
} as const;

/** `fields.ts`: Defines the fields of a form, and converts between typed text and the JSON of an experiment. */
export const FIELDS = {
  pages: (value: number, page_bytes: number) =>
    `${counted(value, "page")}, ${size(value, page_bytes)}`,
} as const;

/** `machine-fields.ts`: A machine as fields: their order, and the initial values of new parts. */
export const MACHINE_FIELDS_TEXTS = {
  overlaps: "overlaps the previous range",
  noHole: "no hole before this range",
  memory: (pages: number, page_bytes: number, many: string, many2: string) =>
    `${size(pages, page_bytes)} in ${many}, ${many2}`,
} as const;

/**
 * `parts.ts`: The parts of an experiment that a form shows: described in the experiment, or
 * ready-made and named there.
 */
export const PARTS = {
  changed: (title: string) => `${title}, changed`,
} as const;

/** `schema-fields.ts`: Fields of forms, made from the engine's types. */
export const SCHEMA_FIELDS = {
  pages: 'Pages, or a size with a unit: "64 MiB".',
  pageFrame: 'Page frame number (0x for hexadecimal), or an address with a unit: "4 GiB".',
  kib: 'KiB, or a size with a unit: "500 GiB".',
  rate: 'Bytes per second, or a rate with a unit: "110 MB/s".',
} as const;

/**
 * `tunable-fields.ts`: A kernel's tunables as fields: those that an experiment sets, and those that
 * the machine sets.
 */
export const TUNABLE_FIELDS = {
  limits: (least: number, most: number, unit: string) =>
    `${count(least)} to ${count(most)}${unit ? `, in ${unit}` : ""}.`,
  unknown: "The selected kernel has no tunable of this name.",
} as const;

/** `zone-fields.ts`: The zones that a machine may define in place of the kernel's own, and their borders. */
export const ZONE_FIELDS_TEXTS = {
  fromEachNode: "from the address that each node gives",
  allRemainingMemory: "all remaining memory",
} as const;

/** `Cgroups.tsx`: The memory cgroups of a workload. */
export const CGROUPS = {
  title: "Memory cgroups",
  add: "Add a memory cgroup",
  unnamed: "unnamed",
  inside: (parent: string) => `in ${parent}`,
  group: (name: string) => `cgroup ${name}`,
} as const;
