// The workload language as fields: what each operation is for, and what each of its fields means. The
// engine's own list of operations is held against this table by a test.

import type { FieldInfo, FieldKind } from "./fields";
import { at, isTree, itemsOf, type Json, type Tree } from "./tree";

const TEXT: FieldKind = { kind: "text" };
const NUMBER: FieldKind = { kind: "number" };
const SIZE: FieldKind = { kind: "size" };
const TIME: FieldKind = { kind: "time" };

const ANY_SIZE = 'Pages, or with a unit: "64 MiB", "40%" of memory, "40% of node".';
const ORDER: FieldInfo = {
  name: "order",
  title: "In which order",
  about: "From front to back, or anywhere, by the task's own random numbers.",
  as: {
    kind: "choice",
    of: [
      ["sequential", "sequential: front to back, then again"],
      ["random", "random: anywhere"],
    ],
  },
  usual: "sequential",
};
const region = (about: string): FieldInfo => ({
  name: "region",
  title: "Region",
  about,
  as: TEXT,
});
const file = (about: string): FieldInfo => ({ name: "file", title: "File", about, as: TEXT });
const chunk = (about: string, usual: string): FieldInfo => ({
  name: "chunk",
  title: "In one call",
  about: `${about} ${ANY_SIZE}`,
  as: SIZE,
  usual,
});
const inAll = (usual: string): FieldInfo => ({
  name: "size",
  title: "How much",
  about: `In all. ${ANY_SIZE}`,
  as: SIZE,
  usual,
});
const howMany = (about: string): FieldInfo => ({
  name: "count",
  title: "How many",
  about,
  as: NUMBER,
  usual: "1",
});
const pool = (about: string): FieldInfo => ({ name: "pool", title: "Pool", about, as: TEXT });

/** An operation of a program. */
export interface Operation {
  readonly op: string;
  /** What it is for, in a sentence. */
  readonly about: string;
  readonly fields: readonly FieldInfo[];
  /** A new one, before anything was filled in. */
  readonly blank: Tree;
  /** The operation in words, for whoever reads the program. */
  readonly words: (step: Tree) => string;
}

const word = (step: Tree, name: string): string => {
  const value = step[name];
  return typeof value === "string" ? value : typeof value === "number" ? `${value} pages` : "";
};
const number = (step: Tree, name: string, usual: number): number => {
  const value = step[name];
  return typeof value === "number" ? value : usual;
};
/** Words one after the other, without those that say nothing. */
const row = (...words: (string | false)[]): string => words.filter(Boolean).join(" ");
const upTo = (step: Tree, all: string) => word(step, "size") || all;
const inOrder = (step: Tree) => step.order === "random" && "in random order";
const inChunks = (step: Tree) => word(step, "chunk") && `, ${word(step, "chunk")} a call`;

const transfer = (op: "read" | "write"): Operation => ({
  op,
  about:
    op === "read"
      ? "Reads a file through the page cache, from where the last call ended."
      : "Writes to a file through the page cache: its pages become dirty. A removed file is created.",
  fields: [
    file("Name of a file of this workload; of several files of that name one after the other."),
    inAll("all of the file"),
    chunk(`How much one call ${op}s.`, "64 KiB"),
    ORDER,
  ],
  blank: { op, file: "data" },
  words: (step) =>
    row(op, upTo(step, "all"), op === "read" ? "of" : "to", word(step, "file"), inOrder(step)) +
    inChunks(step),
});

/** Every operation there is, in the order of a program's life. */
export const OPERATIONS: readonly Operation[] = [
  {
    op: "map",
    about: "Sets a region of addresses aside, as mmap does. No page is allocated yet.",
    fields: [
      region("What this program calls it."),
      {
        name: "size",
        title: "Size",
        about: `Of the region. ${ANY_SIZE}`,
        as: SIZE,
        usual: "as large as the file",
      },
      {
        name: "file",
        title: "File",
        about: "The file it shows, shared with all who map it; without one it is anonymous memory.",
        as: TEXT,
        usual: "none: anonymous",
      },
      {
        name: "huge",
        title: "Huge pages",
        about: "Asks for huge pages, as madvise(MADV_HUGEPAGE) does.",
        as: { kind: "flag", yes: "asks for them", no: "as the machine has it" },
        usual: "as the machine has it",
      },
    ],
    blank: { op: "map", region: "heap", size: "10%" },
    words: (step) =>
      row(
        "map",
        word(step, "region"),
        word(step, "file") && `to file ${word(step, "file")}`,
        word(step, "size") && `, ${word(step, "size")}`,
        step.huge === true && ", huge pages",
      ).replaceAll(" ,", ","),
  },
  {
    op: "touch",
    about: "Uses pages of a region. The first touch of each faults it in: that allocates.",
    fields: [
      region("A region mapped before."),
      {
        name: "pages",
        title: "How many touches",
        about: ANY_SIZE,
        as: SIZE,
        usual: "as many as the region has pages",
      },
      ORDER,
      {
        name: "write",
        title: "Touches are",
        about: "A write makes the page dirty.",
        as: { kind: "flag", yes: "writes", no: "reads" },
        usual: "writes in anonymous memory, reads in files",
      },
    ],
    blank: { op: "touch", region: "heap" },
    words: (step) =>
      row(
        "touch",
        word(step, "pages") || "all",
        "of",
        word(step, "region"),
        inOrder(step),
        step.write === true && "(writes)",
        step.write === false && "(reads)",
      ),
  },
  {
    op: "lock",
    about: "Locks a region in memory, as mlock does: reclaim may not take its pages.",
    fields: [region("A region mapped before; what is missing of it is faulted in.")],
    blank: { op: "lock", region: "heap" },
    words: (step) => row("lock", word(step, "region"), "in memory"),
  },
  {
    op: "free",
    about: "Gives a region back, as munmap does: its pages are freed.",
    fields: [region("A region mapped before.")],
    blank: { op: "free", region: "heap" },
    words: (step) => row("free", word(step, "region")),
  },
  transfer("read"),
  transfer("write"),
  {
    op: "copy",
    about: "Reads one file and writes another in turn, as dd does.",
    fields: [
      { name: "from", title: "From file", about: "A file of this workload.", as: TEXT },
      { name: "to", title: "To file", about: "Another file of it.", as: TEXT },
      inAll("all of what is read"),
      chunk("How much one call reads, then writes.", "512 B, as dd does"),
    ],
    blank: { op: "copy", from: "data", to: "copy" },
    words: (step) =>
      row("copy", upTo(step, "all"), "of", word(step, "from"), "to", word(step, "to")) +
      inChunks(step),
  },
  {
    op: "fsync",
    about: "Writes a file's dirty pages out and waits until the device has them.",
    fields: [file("A file of this workload.")],
    blank: { op: "fsync", file: "data" },
    words: (step) => row("fsync", word(step, "file")),
  },
  {
    op: "unlink",
    about: "Removes a file; its pages go when nobody uses it any more.",
    fields: [file("A file of this workload.")],
    blank: { op: "unlink", file: "data" },
    words: (step) => row("remove file", word(step, "file")),
  },
  {
    op: "create",
    about: "Creates new files that have no name here, writes and closes them.",
    fields: [
      howMany("Files."),
      { name: "size", title: "Size of each", about: ANY_SIZE, as: SIZE },
      chunk("How much one call writes.", "all of a file"),
    ],
    blank: { op: "create", count: 1, size: "64 KiB" },
    words: (step) =>
      row(
        "create",
        String(number(step, "count", 1)),
        number(step, "count", 1) === 1 ? "file of" : "files of",
        word(step, "size"),
      ) + inChunks(step),
  },
  {
    op: "drop_caches",
    about: "Drops the clean pages of all files: echo 1 > /proc/sys/vm/drop_caches.",
    fields: [],
    blank: { op: "drop_caches" },
    words: () => "drop the caches",
  },
  {
    op: "alloc",
    about: "Allocates blocks as a part of the kernel would, and keeps them in a pool.",
    fields: [
      pool("What this program calls it."),
      {
        name: "order",
        title: "Order",
        about: "Of each block: order 3 is 8 pages in a row.",
        as: NUMBER,
      },
      {
        name: "count",
        title: "How many",
        about: 'Blocks; or a share, which counts pages of memory: "2% of node".',
        as: { kind: "amount" },
      },
      {
        name: "type",
        title: "Which memory",
        about: "What the kernel asks for, and so whether it may wait for reclaim.",
        as: {
          kind: "choice",
          of: [
            ["unmovable", "unmovable: GFP_KERNEL"],
            ["reclaimable", "reclaimable: with __GFP_RECLAIMABLE"],
            ["movable", "movable: GFP_HIGHUSER_MOVABLE"],
            ["atomic", "atomic: GFP_ATOMIC, may not wait"],
            ["dma", "dma: of the zone for old devices"],
            ["dma32", "dma32: below 4 GiB"],
          ],
        },
        usual: "unmovable",
      },
    ],
    blank: { op: "alloc", pool: "buffers", order: 0, count: 32 },
    words: (step) =>
      row(
        "allocate",
        typeof step.count === "number" ? String(step.count) : word(step, "count"),
        `of order ${number(step, "order", 0)} into ${word(step, "pool")}`,
        word(step, "type") && `(${word(step, "type")})`,
      ),
  },
  {
    op: "release",
    about: "Frees blocks of a pool, in the order they were allocated.",
    fields: [
      pool("A pool something was allocated into."),
      {
        name: "every",
        title: "One in",
        about: "1 frees all of them, 2 every other one: that leaves holes.",
        as: NUMBER,
        usual: "1: all",
      },
    ],
    blank: { op: "release", pool: "buffers" },
    words: (step) => {
      const every = number(step, "every", 1);
      return row("release", every === 1 ? "all" : `one in ${every}`, "of", word(step, "pool"));
    },
  },
  {
    op: "spawn",
    about: "Starts tasks of another process, as fork and exec do, with nothing mapped.",
    fields: [
      { name: "process", title: "Process", about: "A process of this workload.", as: TEXT },
      howMany("Tasks."),
    ],
    blank: { op: "spawn", process: "worker", count: 1 },
    words: (step) => row("start", String(number(step, "count", 1)), word(step, "process")),
  },
  {
    op: "wait",
    about: "Waits until all tasks it started have ended.",
    fields: [
      {
        name: "every",
        title: "Looks every",
        about: 'Looks only so often whether they have: "1s".',
        as: TIME,
        usual: "is told at once",
      },
    ],
    blank: { op: "wait" },
    words: (step) => row("wait for them", word(step, "every") && `, each ${word(step, "every")}`),
  },
  {
    op: "mark",
    about: "Begins a phase of the run, for reports; it ends with this task's next one.",
    fields: [{ name: "name", title: "Name", about: "What the phase is called.", as: TEXT }],
    blank: { op: "mark", name: "phase" },
    words: (step) => row("phase", word(step, "name")),
  },
  {
    op: "stop",
    about: "Ends the run: what was to be seen is done.",
    fields: [],
    blank: { op: "stop" },
    words: () => "end the run",
  },
  {
    op: "bind",
    about: "Moves to a node's CPUs and takes memory from it first.",
    fields: [
      { name: "node", title: "Node", about: "Its number.", as: NUMBER },
      {
        name: "strict",
        title: "Other nodes",
        about: "Whether memory may come from elsewhere when the node has none (MPOL_BIND).",
        as: { kind: "flag", yes: "from no other node", no: "others too" },
        usual: "others too",
      },
    ],
    blank: { op: "bind", node: 0 },
    words: (step) =>
      row(`move to node ${number(step, "node", 0)}`, step.strict === true && "and no other"),
  },
  {
    op: "think",
    about: "Does nothing for a while.",
    fields: [{ name: "time", title: "How long", about: "10s, 250ms, 5us or 100ns.", as: TIME }],
    blank: { op: "think", time: "1ms" },
    words: (step) => row("think for", word(step, "time")),
  },
  {
    op: "repeat",
    about: "Does the operations inside again and again. Loops nest four deep at most.",
    fields: [{ name: "times", title: "How often", about: "Rounds.", as: NUMBER }],
    blank: { op: "repeat", times: 10, do: [{ op: "think", time: "1ms" }] },
    words: (step) => `repeat ${number(step, "times", 1)} times`,
  },
  {
    op: "exit",
    about: "Ends the task here; its memory is freed.",
    fields: [],
    blank: { op: "exit" },
    words: () => "end this task",
  },
];

/** The operation of a step, where there is such a one. */
export const operationOf = (step: Json): Operation | undefined =>
  isTree(step) ? OPERATIONS.find(({ op }) => op === step.op) : undefined;

/** A step in words. */
export function stepWords(step: Json): string {
  const operation = operationOf(step);
  if (operation && isTree(step)) return operation.words(step);
  return `unknown: ${JSON.stringify(at(step, ["op"]) ?? step)}`;
}

/** A file, or a row of them. */
export const FILE_FIELDS: readonly FieldInfo[] = [
  { name: "name", title: "Name", about: "What the programs call it.", as: TEXT },
  { name: "size", title: "Size", about: `Of each. ${ANY_SIZE}`, as: SIZE },
  howMany("Files of this name and size, used one after the other."),
  {
    name: "absent",
    title: "At the start",
    about: "A missing file is created by who first writes or maps it, and is one hole till then.",
    as: { kind: "flag", yes: "missing", no: "on the device" },
    usual: "on the device",
  },
];

/** One kind of process. */
export const PROCESS_FIELDS: readonly FieldInfo[] = [
  {
    name: "name",
    title: "Command",
    about: "Its tasks are called by it: name/1, name/2.",
    as: TEXT,
  },
  {
    name: "count",
    title: "How many start",
    about: "By themselves; 0 where only another process starts it.",
    as: NUMBER,
    usual: "1",
  },
  {
    name: "node",
    title: "Node",
    about: "It runs on this node's CPUs and takes memory from it first.",
    as: NUMBER,
    usual: "spread over all CPUs",
  },
  {
    name: "start",
    title: "Starts after",
    about: "10s, 250ms, 5us or 100ns.",
    as: TIME,
    usual: "0: at once",
  },
  {
    name: "own",
    title: "Files of its own",
    about: "Rows of files of which each task knows one only: the first task the first, and so on.",
    as: { kind: "names" },
    usual: "none: each knows all",
  },
];

/** What a workload says of itself. */
export const WORKLOAD_FIELDS: readonly FieldInfo[] = [
  { name: "title", title: "Title", about: "What menus call it.", as: TEXT, usual: "none" },
  {
    name: "about",
    title: "About",
    about: "What it is for, in a sentence.",
    as: TEXT,
    usual: "none",
  },
];

/** A new process. */
export const NEW_PROCESS: Tree = {
  name: "worker",
  count: 1,
  program: [
    { op: "map", region: "heap", size: "10%" },
    { op: "touch", region: "heap" },
  ],
};
/** A new file. */
export const NEW_FILE: Tree = { name: "data", size: "10%" };

/** A name that none of these items has yet: the same with a number behind it. */
export function freeName(items: readonly Json[], item: Tree): Tree {
  const taken = new Set(items.map((other) => at(other, ["name"])));
  const name = String(item.name);
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}${n}`;
    if (!taken.has(tried)) return { ...item, name: tried };
  }
}

/** Is it shaped so that the form can show all of it? */
export const isWorkload = (value: Json | undefined): value is Tree =>
  isTree(value) &&
  Array.isArray(value.processes) &&
  (value.files === undefined || Array.isArray(value.files)) &&
  itemsOf(value.files).every(isTree) &&
  value.processes.every((process) => isTree(process) && isProgram(process.program));

const isProgram = (value: Json | undefined): boolean =>
  Array.isArray(value) &&
  value.every((step) => isTree(step) && (step.do === undefined || isProgram(step.do)));
