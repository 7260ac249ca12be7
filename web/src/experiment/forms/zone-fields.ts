// The zones a machine may bring in place of the kernel's own: which there are, and where each ends.

import { size } from "../../engine/format";
import { fieldsOfType } from "./schema-fields";
import { at, itemsOf, type Json, type Tree } from "./tree";

/** What may be added by itself, in the kernel's order; HighMem is described but never run. */
const ADDED = ["DMA", "DMA32", "Normal", "Movable", "Device"];

/** A zone and its border. */
export const ZONE_FIELDS = fieldsOfType("Zone", ["kind", "below_pfn"]);

/** The first address above ZONE_DMA and ZONE_DMA32 of x86_64, bytes. */
const X86_ENDS = { DMA: 16 * 1024 ** 2, DMA32: 4 * 1024 ** 3 } as const;

/** The zones every kernel from 5.10 on has on a processor; older ones have them on x86_64. */
function usualZones(machine: Tree, page_bytes: number): readonly Tree[] {
  const last = [{ kind: "Normal" }, { kind: "Movable" }];
  if (machine.arch === "ppc64") return last;
  const below = (kind: keyof typeof X86_ENDS) => ({
    kind,
    below_pfn: X86_ENDS[kind] / page_bytes,
  });
  return [below("DMA"), below("DMA32"), ...last];
}

const kindOf = (zone: Json): Json | undefined => at(zone, ["kind"]);

/** The first type that is missing, and where it would stand; none where all are there. */
export function missingZone(machine: Tree): { kind: string; index: number } | null {
  const kinds = itemsOf(machine.zones).map(kindOf);
  const kind = ADDED.find((one) => !kinds.includes(one));
  if (kind === undefined) return null;
  const later = ADDED.slice(ADDED.indexOf(kind));
  const index = kinds.findIndex((one) => later.includes(String(one)));
  return { kind, index: index < 0 ? kinds.length : index };
}

/** The machine with one zone more; with the usual ones where it had none of its own. */
export function withZone(machine: Tree, page_bytes: number): Tree {
  const usual = usualZones(machine, page_bytes);
  if (machine.zones === undefined) return { ...machine, zones: usual };
  const missing = missingZone(machine);
  if (!missing) return machine;
  const { kind, index } = missing;
  const zone = usual.find((one) => one.kind === kind) ?? { kind };
  return { ...machine, zones: itemsOf(machine.zones).toSpliced(index, 0, zone) };
}

/** The machine without a zone; with the kernel's own after the last. */
export function withoutZone(machine: Tree, index: number): Tree {
  const { zones, ...others } = machine;
  const left = itemsOf(zones).filter((_, i) => i !== index);
  return left.length === 0 ? others : { ...machine, zones: left };
}

/** Where a zone ends, in words: "below 4.0 GiB". */
export function borderWords(zone: Json, page_bytes: number): string {
  const end = at(zone, ["below_pfn"]);
  if (typeof end === "number") return `below ${size(end, page_bytes)}`;
  switch (kindOf(zone)) {
    case "Movable":
      return "from where each node says";
    case "Device":
      return "no pages";
    default:
      return "all remaining memory";
  }
}
