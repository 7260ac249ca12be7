// The alignment of two runs, and its short form in an address.

import type { RecordName } from "../../engine/record";
import type { Catalog } from "../../engine/types";
import type { Counted } from "./axis";

/** The quantity by which two runs are aligned: virtual time, the progress of a task's program, or
    the number of events of a kind. */
export type Alignment =
  | { readonly by: "time" }
  | { readonly by: "program"; readonly task: number }
  | { readonly by: "event"; readonly event: string };

/** Alignment by virtual time. */
export const BY_TIME: Alignment = { by: "time" };

/** The kinds of events that the page offers for alignment. */
export const ALIGNED_EVENTS = [
  "mm_page_alloc",
  "mm_vmscan_kswapd_wake",
  "mm_vmscan_direct_reclaim_begin",
  "mm_vmscan_lru_shrink_inactive",
  "mm_compaction_migratepages",
  "mm_filemap_add_to_page_cache",
  "round_ended",
] as const satisfies readonly RecordName[];

/** The quantity to count along both runs; null for time, or if the engine has no such event. */
export function countedBy(alignment: Alignment, { records }: Catalog): Counted | null {
  if (alignment.by === "program") return { kind: "program", task: alignment.task };
  if (alignment.by === "time") return null;
  const record = records.findIndex(({ name }) => name === alignment.event);
  return record < 0 ? null : { kind: "event", record };
}

/** "time", "program.3", "event.mm_page_alloc". */
export function writeAlignment(alignment: Alignment): string {
  if (alignment.by === "program") return `program.${alignment.task}`;
  return alignment.by === "event" ? `event.${alignment.event}` : "time";
}

/** Reads the short form; anything else means time. */
export function readAlignment(text: string | null): Alignment {
  const task = /^program\.(\d{1,6})$/.exec(text ?? "")?.[1];
  if (task !== undefined) return { by: "program", task: Number(task) };
  const event = /^event\.(\w{1,64})$/.exec(text ?? "")?.[1];
  return event === undefined ? BY_TIME : { by: "event", event };
}
