// The zones that a machine may define in place of the kernel's own, and their borders.

import { size } from "../../engine/format";
import { fieldsOfType } from "./schema-fields";
import { at, itemsOf, type Json, type Tree } from "./tree";
import { ZONE_FIELDS_TEXTS } from "./words";

/**
 * The zones that can be added, in the kernel's order. HighMem is missing because it can be
 * described but not run.
 */
const ADDED = ["DMA", "DMA32", "Normal", "Movable", "Device"];

/** A zone and its border. */
export const ZONE_FIELDS = fieldsOfType("Zone", ["kind", "below_pfn"]);

/** The first addresses above ZONE_DMA and ZONE_DMA32 of x86_64, bytes. */
const X86_ENDS = { DMA: 16 * 1024 ** 2, DMA32: 4 * 1024 ** 3 } as const;

/**
 * The zones of every kernel from 5.10 on, for each architecture; on x86_64 older kernels have the
 * same zones.
 */
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

/** The first missing type and its index; null if all exist. */
export function missingZone(machine: Tree): { kind: string; index: number } | null {
  const kinds = itemsOf(machine.zones).map(kindOf);
  const kind = ADDED.find((one) => !kinds.includes(one));
  if (kind === undefined) return null;
  const later = ADDED.slice(ADDED.indexOf(kind));
  const index = kinds.findIndex((one) => later.includes(String(one)));
  return { kind, index: index < 0 ? kinds.length : index };
}

/** Adds a zone, or the usual zones if the machine had none of its own. */
export function withZone(machine: Tree, page_bytes: number): Tree {
  const usual = usualZones(machine, page_bytes);
  if (machine.zones === undefined) return { ...machine, zones: usual };
  const missing = missingZone(machine);
  if (!missing) return machine;
  const { kind, index } = missing;
  const zone = usual.find((one) => one.kind === kind) ?? { kind };
  return { ...machine, zones: itemsOf(machine.zones).toSpliced(index, 0, zone) };
}

/** Removes a zone; after the last one the kernel's own zones apply. */
export function withoutZone(machine: Tree, index: number): Tree {
  const { zones, ...others } = machine;
  const left = itemsOf(zones).filter((_, i) => i !== index);
  return left.length === 0 ? others : { ...machine, zones: left };
}

/** The border of a zone in words: "below 4.0 GiB". */
export function borderWords(zone: Json, page_bytes: number): string {
  const end = at(zone, ["below_pfn"]);
  if (typeof end === "number") return `below ${size(end, page_bytes)}`;
  switch (kindOf(zone)) {
    case "Movable":
      return ZONE_FIELDS_TEXTS.fromEachNode;
    case "Device":
      return "no pages";
    default:
      return ZONE_FIELDS_TEXTS.allRemainingMemory;
  }
}
