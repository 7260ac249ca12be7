// A machine as fields: what each of them means, and what a new part of one begins as.

import { size } from "../../engine/format";
import type { FieldInfo, FieldKind } from "./fields";
import { at, isTree, itemsOf, type Json, type Tree, withAt } from "./tree";

const TEXT: FieldKind = { kind: "text" };
const NUMBER: FieldKind = { kind: "number" };
const choice = (...of: (readonly [string | number, string])[]): FieldKind => ({
  kind: "choice",
  of,
});

/** The machine as a whole. */
export const MACHINE_FIELDS: readonly FieldInfo[] = [
  { name: "title", title: "Title", about: "What the page calls it.", as: TEXT },
  {
    name: "arch",
    title: "Processor",
    about: "It decides which zones there are, and where they end.",
    as: choice(["x86_64", "x86_64"], ["ppc64", "ppc64"]),
  },
  {
    name: "page_size_kib",
    title: "Page size",
    about: "What one page frame is. x86_64 has 4 KiB; ppc64 has 4 or 64.",
    as: choice([4, "4 KiB"], [64, "64 KiB"]),
  },
  {
    name: "hz",
    title: "Timer ticks",
    about: "A second (CONFIG_HZ): how finely sleeping tasks are woken.",
    as: choice([100, "100"], [250, "250"], [300, "300"], [1000, "1000"]),
  },
  {
    name: "thp",
    title: "Transparent huge pages",
    about: "As booted. Below 512 MiB of memory the kernel switches them off by itself.",
    as: choice(
      ["always", "always: wherever possible"],
      ["madvise", "madvise: where a program asks"],
      ["never", "never"],
    ),
  },
  {
    name: "costs",
    title: "How fast it is",
    about: "The class of machine whose speed is assumed.",
    as: choice(
      ["d2010", "desktop of 2010"],
      ["s2011", "two-node server of 2011"],
      ["p7", "POWER7"],
      ["d2014", "desktop of 2014"],
      ["s2021", "server of 2021"],
      ["q-x86", "emulated x86_64 guest"],
      ["q-ppc", "emulated ppc64le guest"],
    ),
  },
  {
    name: "pcp",
    title: "Per-cpu lists",
    about: "Whether each CPU keeps free pages of its own, before the buddy lists.",
    as: { kind: "flag", yes: "each CPU has its own", no: "none" },
  },
  {
    name: "zonelist_order",
    title: "Zonelist order",
    about: "In which order a request walks the zones (numa_zonelist_order).",
    as: choice(
      ["default", "default: the kernel chooses"],
      ["node", "node: the nearest node first"],
      ["zone", "zone: the highest zone first"],
    ),
  },
];

/** One node. */
export const NODE_FIELDS: readonly FieldInfo[] = [
  {
    name: "cpus",
    title: "CPUs",
    about: "Numbered through the nodes in order. A node may have none.",
    as: NUMBER,
  },
  {
    name: "id",
    title: "Number",
    about: "Where node numbers have gaps, as on ppc64.",
    as: NUMBER,
    usual: "its place in the list",
  },
  {
    name: "movable_from_pfn",
    title: "Movable zone from",
    about: "Memory from here on holds only what can be moved (kernelcore=, movablecore=).",
    as: { kind: "pfn" },
    usual: "none: no Movable zone",
  },
];

/** Zones that may have pages nobody manages. */
const RESERVED_ZONES = ["DMA", "DMA32", "Normal", "Movable"];

/** Pages of each zone that exist but are not managed. */
export const RESERVED_FIELDS: readonly FieldInfo[] = RESERVED_ZONES.map((zone) => ({
  name: zone,
  title: `Reserved in ${zone}`,
  about: "Page records, the kernel image, firmware: pages there, but never allocated.",
  as: { kind: "pages" } as const,
  usual: "0",
}));

/** A stretch of memory of a node. */
export const RANGE_FIELDS: readonly FieldInfo[] = [
  {
    name: "start_pfn",
    title: "Begins at",
    about: 'Page frame number (0x in front: hexadecimal), or an address with a unit: "4 GiB".',
    as: { kind: "pfn" },
  },
  {
    name: "pages",
    title: "Size",
    about: 'Pages, or a size with a unit: "64 MiB".',
    as: { kind: "pages" },
  },
];

/** A block device. */
export const DEVICE_FIELDS: readonly FieldInfo[] = [
  { name: "id", title: "Name", about: "As the kernel has it: sda.", as: TEXT },
  {
    name: "model",
    title: "Kind",
    about: "It decides how long a request takes, and what distance costs.",
    as: choice(
      ["disk_2010", "disk of 2010, 110 MB/s"],
      ["disk_2014", "disk of 2014, 155 MB/s"],
      ["ssd_2021", "SATA SSD of 2021, 550 MB/s"],
      ["nvme_2021", "NVMe SSD of 2021, 3,500 MB/s"],
      ["throttled", "limits bytes a second, and nothing else"],
    ),
  },
  {
    name: "bytes_per_s",
    title: "Rate",
    about: 'Bytes it reads a second in a row, or "110 MB/s".',
    as: { kind: "rate" },
    usual: "as its kind has it",
  },
  {
    name: "capacity_kib",
    title: "Size",
    about: 'KiB, or with a unit: "500 GiB".',
    as: { kind: "kib" },
    usual: "as its kind has it",
  },
  {
    name: "files",
    title: "Files",
    about: "Whether the workload's files lie on it.",
    as: { kind: "flag", yes: "lie on it", no: "lie elsewhere" },
  },
  {
    name: "swap",
    title: "Swap",
    about: 'How much of it is swap: KiB, or with a unit: "2 GiB". 0: none.',
    as: { kind: "kib" },
    usual: "0",
  },
];

/** The distance between two nodes, both ways to be set. */
export const DISTANCE_FIELD: FieldInfo = {
  name: "distance",
  title: "Distance",
  about: "10 is a node's own memory; 20 costs about twice as much.",
  as: NUMBER,
};

/** What other nodes are away unless told, as the kernel has it (REMOTE_DISTANCE). */
const REMOTE = 20;
const LOCAL = 10;
/** A new stretch of memory, pages. */
const NEW_PAGES = 4096;

/** The first page frame above all memory, on a border no block of pages crosses. */
function above(machine: Tree): number {
  const ends = itemsOf(machine.nodes)
    .flatMap((node) => itemsOf(at(node, ["ranges"])))
    .map((range) => numberAt(range, "start_pfn") + numberAt(range, "pages"));
  return Math.ceil(Math.max(0, ...ends) / NEW_PAGES) * NEW_PAGES;
}

const numberAt = (value: Json, name: string): number => {
  const found = at(value, [name]);
  return typeof found === "number" ? found : 0;
};

/** The machine with one stretch of memory more on a node, above all other memory. */
export const withRange = (machine: Tree, node: number): Tree => {
  const ranges = itemsOf(at(machine, ["nodes", node, "ranges"]));
  const range = { start_pfn: above(machine), pages: NEW_PAGES };
  return withAt(machine, ["nodes", node, "ranges", ranges.length], range) as Tree;
};

/** The machine with one node more, its memory above all other. */
export function withNode(machine: Tree): Tree {
  const nodes = itemsOf(machine.nodes);
  const cpus = numberAt(nodes.at(-1) ?? null, "cpus") || 1;
  const node = { ranges: [{ start_pfn: above(machine), pages: NEW_PAGES }], cpus };
  const rows = itemsOf(machine.distances).map((row) => [...itemsOf(row), REMOTE]);
  const distances = [...rows, [...rows.map(() => REMOTE), LOCAL]];
  return { ...machine, nodes: [...nodes, node], distances };
}

/** The machine without a node, nor its distances. */
export function withoutNode(machine: Tree, node: number): Tree {
  const others = (items: readonly Json[]) => items.filter((_, i) => i !== node);
  return {
    ...machine,
    nodes: others(itemsOf(machine.nodes)),
    distances: others(itemsOf(machine.distances)).map((row) => others(itemsOf(row))),
  };
}

/** A device's name nobody has yet. */
export function newDevice(machine: Tree): Tree {
  const taken = itemsOf(machine.devices).map((device) => at(device, ["id"]));
  const ids = "abcdefgh".split("").map((letter) => `sd${letter}`);
  const id = ids.find((name) => !taken.includes(name)) ?? "sdi";
  return { id, model: "ssd_2021", files: taken.length === 0, swap: 0 };
}

/** What lies between a stretch of memory and the one below it, whichever node has that. */
export function holeWords(machine: Tree, node: number, range: number, page_bytes: number): string {
  const ends: number[] = [];
  const start = numberAt(at(machine, ["nodes", node, "ranges", range]) ?? null, "start_pfn");
  for (const [n, other] of itemsOf(machine.nodes).entries()) {
    for (const [r, stretch] of itemsOf(at(other, ["ranges"])).entries()) {
      const isOther = n !== node || r !== range;
      if (isOther && numberAt(stretch, "start_pfn") <= start) {
        ends.push(numberAt(stretch, "start_pfn") + numberAt(stretch, "pages"));
      }
    }
  }
  const hole = start - Math.max(0, ...ends);
  if (hole > 0) return `hole of ${size(hole, page_bytes)} before it`;
  return hole < 0 ? "overlaps the one before it" : "no hole before it";
}

/** A node in words: "3 GiB in 2 ranges, 12 CPUs". */
export function nodeWords(node: Json, page_bytes: number): string {
  const ranges = itemsOf(at(node, ["ranges"]));
  const pages = ranges.reduce<number>((sum, range) => sum + numberAt(range, "pages"), 0);
  const cpus = numberAt(node, "cpus");
  const many = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return `${size(pages, page_bytes)} in ${many(ranges.length, "range")}, ${many(cpus, "CPU")}`;
}

/** Bytes of a page of the machine; 4 KiB while it is being typed. */
export const pageBytes = (machine: Json | undefined): number => {
  const kib = at(machine, ["page_size_kib"]);
  return 1024 * (typeof kib === "number" && kib > 0 ? kib : 4);
};

/** Is it shaped so that the form can show all of it? */
export const isMachine = (value: Json | undefined): value is Tree =>
  isTree(value) &&
  Array.isArray(value.nodes) &&
  value.nodes.every((node) => isTree(node) && isTrees(node.ranges) && isReserved(node.reserved)) &&
  Array.isArray(value.distances) &&
  value.distances.every(Array.isArray) &&
  (value.devices === undefined || isTrees(value.devices)) &&
  (value.zones === undefined || isTrees(value.zones)) &&
  (value.tunables === undefined || isTree(value.tunables));

const isTrees = (value: Json | undefined) => Array.isArray(value) && value.every(isTree);
const isReserved = (value: Json | undefined) => value === undefined || isTree(value);
