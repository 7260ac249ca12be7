// The routine between moments, shown as a running count.

import { duration } from "../engine/format";
import type { Gap, RecordName, StoryRecord } from "./records";

/** The activity that a record counts for. */
const ROUTINE: Partial<Record<RecordName, string>> = {
  mm_filemap_add_to_page_cache: "adds pages to the page cache",
  FaultMinor: "faults in pages",
  FaultFile: "maps file pages",
  FaultAroundMapped: "maps file pages",
  FaultFileMajor: "reads file pages from disk",
  SwapIn: "faults on swapped pages",
  LadderFree: "frees isolated pages",
  LadderWriteback: "finds pages under writeback",
  DirtyKept: "finds dirty pages",
  RefsKeep: "keeps referenced pages",
  RefsActivate: "activates referenced pages",
  mm_page_free: "frees pages",
  FlushPage: "submits dirty pages for writing",
  PageWritten: "completes writes",
};

/** One repetition: the step after it, the task, and the activity. */
export interface Act {
  readonly step: number;
  readonly task: number;
  readonly what: string;
}

/** The repetitions among some records. */
export const routineOf = (records: readonly StoryRecord[]): Act[] =>
  records.flatMap(({ name, step, task }) => {
    const what = ROUTINE[name];
    return what === undefined ? [] : [{ step, task, what }];
  });

/** The line that is shown while there is no sentence. */
export type Line =
  | { readonly kind: "wait"; readonly words: string }
  | {
      readonly kind: "repeat";
      readonly task: number;
      readonly what: string;
      readonly times: number;
    };

/** The text for a wait in some gaps: "10 ms pass, waiting for sda". */
export function waitWords(gaps: readonly Gap[], devices: readonly string[]): string {
  const total = gaps.reduce((sum, { from_ns, to_ns }) => sum + to_ns - from_ns, 0);
  const device = gaps.find((gap) => gap.device !== null)?.device ?? null;
  const whom =
    device === null ? "all tasks asleep" : `waiting for ${devices[device] ?? "a device"}`;
  return `${duration(total)} pass, ${whom}`;
}

/** The most frequent activity among some acts. */
export function mostOf(acts: readonly Act[]): Act | undefined {
  const times = new Map<string, { act: Act; times: number }>();
  for (const act of acts) {
    const key = `${act.task} ${act.what}`;
    const before = times.get(key);
    times.set(key, { act, times: (before?.times ?? 0) + 1 });
  }
  let most: { act: Act; times: number } | undefined;
  for (const one of times.values()) if (!most || one.times > most.times) most = one;
  return most?.act;
}
