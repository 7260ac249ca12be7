// Sentences about running out of memory: swap is full, reclaim gives up, a process is killed and
// its memory is freed, or no process can be killed and the kernel panics.

import { killedInGroup } from "./groups";
import type { RecordOf } from "./records";
import { type MomentDraft, noun, num, type StoryContext, say, type Tellers, task } from "./telling";

/**
 * Only one sentence until a victim has freed its swap slots, because every further page would
 * repeat the sentence.
 */
function swapIsFull(
  { task: id }: RecordOf<"SwapFull">,
  known: StoryContext,
): MomentDraft | undefined {
  if (known.isSwapFull) return undefined;
  known.isSwapFull = true;
  return {
    kind: "swap full",
    sentence: say`Swap is full: ${task(known, id)} finds no slot for a page.`,
  };
}

function givesUp(
  { values: { rounds }, task: id }: RecordOf<"ReclaimGiveUp">,
  known: StoryContext,
): MomentDraft {
  known.groupOoms.delete(id);
  if (rounds === 0) {
    const sentence = say`${task(known, id)} gives up: reclaiming everything would not be enough.`;
    return { kind: "reclaim gives up", sentence };
  }
  return {
    kind: "reclaim gives up",
    sentence: say`${task(known, id)} gives up after ${num(rounds)} ${noun(rounds, "round")} of reclaim without progress.`,
  };
}

function kills(record: RecordOf<"OomKill">, known: StoryContext): MomentDraft {
  const { values } = record;
  known.victims.set(values.task, values.rss);
  const inGroup = killedInGroup(record, known);
  if (inGroup) return { kind: "out of memory", sentence: inGroup };
  return {
    kind: "out of memory",
    sentence: say`The OOM killer kills ${task(known, values.task)}, the largest process (${num(values.rss)} ${noun(values.rss, "page")}, ${num(values.swapped)} swapped).`,
  };
}

function exits(
  { values }: RecordOf<"sched_process_exit">,
  known: StoryContext,
): MomentDraft | undefined {
  const pages = known.victims.get(values.task);
  if (pages === undefined) return undefined;
  known.victims.delete(values.task);
  known.isSwapFull = false;
  return {
    kind: "memory back",
    sentence: say`${task(known, values.task)} has exited: its ${num(pages)} ${noun(pages, "page")} ${pages === 1 ? "is" : "are"} free again.`,
  };
}

/** The sentence functions for running out of memory. */
export const OUT_OF_MEMORY: Tellers = {
  SwapFull: swapIsFull,
  ReclaimGiveUp: givesUp,
  OomKill: kills,
  fault_oom: ({ values }, known) =>
    known.victims.has(values.task)
      ? undefined
      : {
          kind: "out of memory",
          sentence: say`${task(known, values.task)} gets no page and ends.`,
        },
  sched_process_exit: exits,
  kernel_panic: ({ values }, known) => ({
    kind: "kernel panic",
    sentence: say`Kernel panic: ${task(known, values.task)} gets no page; no process can be killed.`,
  }),
};
