// The texts of debugger/explain/plan: plain strings, and functions for texts that contain values.

import { count, counted } from "../../../engine/format";

/** `Decided.tsx`: A decision in the engine's words, with its branches. */
export const DECIDED = {
  otherwise: (others: string) => `Otherwise: ${others}.`,
} as const;

/**
 * `PlanPart.tsx`: The course of an allocation: the one in progress, otherwise the last one that
 * ended.
 */
export const PLAN_PART = {
  noPageHasBeen: "No page has been allocated since boot.",
  task: (task: number) => `task ${task}`,
  requested: "<task/> requested <order/> at <step/>.",
  requests: "<task/> requests <order/> at <step/> and has no page yet.",
  gfpFlags: "gfp flags",
  migrateType: "migrate type",
  zonelistOf: "zonelist of",
  firstZone: "first zone",
  highestZone: "highest zone",
  requestFailedAfterAt: (walks: number) =>
    `The request failed after ${counted(walks, "walk")}, at <stepLink/>.`,
  allocated: "<page/> was allocated at <step/>.",
  allocatedOf: "<page/> of <zone/> was allocated at <step/>.",
} as const;

/** `PlanParts.tsx`: The parts of an allocation in order: walks, decisions of the slow path, reclaim. */
export const PLAN_PARTS = {
  howAllocationWent: "How the allocation went",
  notChecked: (places: string, zones: string, isAbove: boolean, highest: string) =>
    `${places}${zones}: ${isAbove ? `not allowed, because ${highest} is the highest zone that this request may use.` : "not checked."}`,
  directReclaim: (passes: number, scanned: number, hasEnded: boolean) =>
    `Direct reclaim began at <start/>: <passes/> ${passes === 1 ? "pass" : "passes"}, <scanned/> ${scanned === 1 ? "page" : "pages"} scanned${hasEnded ? ", <freed/> freed, until <end/>." : " so far."}`,
} as const;

/** `StopItem.tsx`: A zone of a walk: its watermark check term by term, and the search for a free block. */
export const STOP_ITEM = {
  zoneOfOnZonelist: (place: number, of: number) => `Zone ${place} of ${of} on the zonelist`,
  zone: "Zone",
  dirtyOrUnderWriteback: (pages: number, limit: number) =>
    `${counted(pages, "page")} dirty or under writeback, more than its share of the dirty limit (${count(limit)}).`,
  allocNoWatermarks: "ALLOC_NO_WATERMARKS: its watermarks are not checked.",
  noFreeBlock: (order: number) =>
    `No free block of order ${order} or larger is on a list it may use.`,
  freeBlockOfOrder: (order: number) => `A free block of order ${order} is large enough.`,
  zoneReclaimAndZonelistCache: "zone_reclaim and the zonelist cache",
  scannedForIt: (scanned: number) =>
    `<scanned/> ${scanned === 1 ? "page was" : "pages were"} scanned for it.`,
  watermarkCheckAt: (mark: string) => `Watermark check at ${mark}`,
  freePages: "free pages",
  notCounted: "not counted",
  counted: "counted",
  markOf: (mark: string) => `of ${mark}`,
  watermark: (mark: string) => `${mark} watermark`,
  reserve: "reserve",
  needed: "needed",
  notCounted2: (why: string) => `Not counted: ${why}.`,
  watermark2: (lowered: string) => `The check uses ${lowered}.`,
  above: "<value/> is above <needed/>",
  notAbove: "<value/> is not above <needed/>",
  otherwise: (others: string) => `Otherwise: ${others}.`,
  checkWithoutSmallerBlocks: (of: number) => `Check without smaller blocks, up to order ${of}`,
  withoutBlocksBelow: "without blocks below",
  passes: "passes",
  order: (order: number) => `order ${order}`,
  yes: "yes",
  no: "no",
  howBlockWasTaken: "How a block was taken",
  andSoOnUntil: (halved: number) =>
    `And so on until <fetched/> blocks were fetched, with <halved/> ${halved === 1 ? "split" : "splits"} in total.`,
} as const;
