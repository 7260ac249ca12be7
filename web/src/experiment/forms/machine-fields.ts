// A machine as fields: their order, and the initial values of new parts.

import { size } from "../../engine/format";
import { typeNamed } from "../../engine/schema";
import type { FieldInfo } from "./fields";
import { fieldOf, fieldsOfType } from "./schema-fields";
import { at, isTree, itemsOf, type Json, type Tree, withAt } from "./tree";
import { MACHINE_FIELDS_TEXTS } from "./words";

/** Fields of the whole machine. */
export const MACHINE_FIELDS = fieldsOfType(
  "Machine",
  ["title", "arch", "page_size_kib", "hz", "thp", "costs", "pcp", "zonelist_order"],
  ["id"],
);

/** Fields of one node. */
export const NODE_FIELDS = fieldsOfType("Node", ["cpus", "id", "movable_from_pfn"]);

/** Pages of each zone that exist but are not managed; HighMem is never run, Device has no pages. */
export const RESERVED_FIELDS = fieldsOfType(
  "Reserved",
  ["DMA", "DMA32", "Normal", "Movable"],
  ["HighMem", "Device"],
);

/** A range of memory of a node. */
export const RANGE_FIELDS = fieldsOfType("Range", ["start_pfn", "pages"]);

/** A block device. */
export const DEVICE_FIELDS = fieldsOfType("Device", [
  "id",
  "model",
  "bytes_per_s",
  "capacity_kib",
  "files",
  "swap",
]);

/** The speed of memory. */
export const MEMORY_FIELDS = fieldsOfType("MemoryRates", [
  "local_bytes_per_s",
  "remote_bytes_per_s",
  "node_bytes_per_s",
  "local_ns",
  "remote_ns",
  "direction_bytes_per_s",
  "link_bytes_per_s",
]);

/** The distance between two nodes; both directions can be set. */
export const DISTANCE_FIELD: FieldInfo = distanceField();

function distanceField(): FieldInfo {
  const schema = typeNamed("Machine").properties?.distances?.items?.items;
  const field = schema && fieldOf("distance", schema, true);
  if (!field) throw new Error("the schema has no distances");
  return field;
}

/** The default distance of other nodes, as in the kernel (REMOTE_DISTANCE). */
const REMOTE = 20;
const LOCAL = 10;
/** Size of a new range, pages. */
const NEW_PAGES = 4096;

/** The first page frame above all memory, aligned so that no pageblock crosses it. */
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

/** Adds a range of memory to a node, above all other memory. */
export const withRange = (machine: Tree, node: number): Tree => {
  const ranges = itemsOf(at(machine, ["nodes", node, "ranges"]));
  const range = { start_pfn: above(machine), pages: NEW_PAGES };
  return withAt(machine, ["nodes", node, "ranges", ranges.length], range) as Tree;
};

/** Adds a node, with its memory above all other memory. */
export function withNode(machine: Tree): Tree {
  const nodes = itemsOf(machine.nodes);
  const cpus = numberAt(nodes.at(-1) ?? null, "cpus") || 1;
  const node = { ranges: [{ start_pfn: above(machine), pages: NEW_PAGES }], cpus };
  const rows = itemsOf(machine.distances).map((row) => [...itemsOf(row), REMOTE]);
  const distances = [...rows, [...rows.map(() => REMOTE), LOCAL]];
  return { ...machine, nodes: [...nodes, node], distances };
}

/** Removes a node and its distances. */
export function withoutNode(machine: Tree, node: number): Tree {
  const others = (items: readonly Json[]) => items.filter((_, i) => i !== node);
  return {
    ...machine,
    nodes: others(itemsOf(machine.nodes)),
    distances: others(itemsOf(machine.distances)).map((row) => others(itemsOf(row))),
  };
}

/** A device with an unused name. */
export function newDevice(machine: Tree): Tree {
  const taken = itemsOf(machine.devices).map((device) => at(device, ["id"]));
  const ids = "abcdefgh".split("").map((letter) => `sd${letter}`);
  const id = ids.find((name) => !taken.includes(name)) ?? "sdi";
  return { id, model: "ssd_2021", files: taken.length === 0, swap: 0 };
}

/** The hole between a range and the next lower range, on any node. */
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
  return hole < 0 ? MACHINE_FIELDS_TEXTS.overlaps : MACHINE_FIELDS_TEXTS.noHole;
}

/** A summary of a node: "3 GiB in 2 ranges, 12 CPUs". */
export function nodeWords(node: Json, page_bytes: number): string {
  const ranges = itemsOf(at(node, ["ranges"]));
  const pages = ranges.reduce<number>((sum, range) => sum + numberAt(range, "pages"), 0);
  const cpus = numberAt(node, "cpus");
  const many = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return MACHINE_FIELDS_TEXTS.memory(
    pages,
    page_bytes,
    many(ranges.length, "range"),
    many(cpus, "CPU"),
  );
}

/** Page size of the machine in bytes; 4 KiB while the field is incomplete. */
export const pageBytes = (machine: Json | undefined): number => {
  const kib = at(machine, ["page_size_kib"]);
  return 1024 * (typeof kib === "number" && kib > 0 ? kib : 4);
};

/** Can the form show all of it? */
export const isMachine = (value: Json | undefined): value is Tree =>
  isTree(value) &&
  Array.isArray(value.nodes) &&
  value.nodes.every((node) => isTree(node) && isTrees(node.ranges) && isReserved(node.reserved)) &&
  Array.isArray(value.distances) &&
  value.distances.every(Array.isArray) &&
  (value.devices === undefined || isTrees(value.devices)) &&
  (value.memory === undefined || isTree(value.memory)) &&
  (value.zones === undefined || isTrees(value.zones)) &&
  (value.tunables === undefined || isTree(value.tunables));

const isTrees = (value: Json | undefined) => Array.isArray(value) && value.every(isTree);
const isReserved = (value: Json | undefined) => value === undefined || isTree(value);
