// Sentences about memory cgroups: a charge reaches memory.max, reclaim in the cgroup makes room or
// fails, tasks above memory.high pause, and processes of the cgroup are killed.

import type { RecordOf } from "./records";
import {
  type MomentDraft,
  noun,
  num,
  type StoryContext,
  type StorySpan,
  say,
  type Tellers,
  task,
} from "./telling";
import { holds } from "./waits";

const pages = (value: number): StorySpan => noun(value, "page");

/** Only the first attempt of a charge has a sentence: the others repeat it. */
function isOver(
  { values: { usage, max }, task: id }: RecordOf<"ChargeOver">,
  known: StoryContext,
): MomentDraft | undefined {
  if (known.charges.has(id)) return undefined;
  known.charges.add(id);
  return {
    kind: "charge over limit",
    sentence: say`${task(known, id)} reclaims in its cgroup, which uses ${num(usage)} ${pages(usage)} (memory.max ${num(max)}).`,
  };
}

function hasRoom(
  { values: { usage, max, reclaimed }, task: id }: RecordOf<"ChargeRoom">,
  known: StoryContext,
): MomentDraft {
  known.charges.delete(id);
  return {
    kind: "charge fits",
    sentence: say`${task(known, id)} reclaimed ${num(reclaimed)} ${pages(reclaimed)}: its cgroup now uses ${num(usage)} of ${num(max)} ${pages(max)}.`,
  };
}

function fails(
  { values: { usage, max }, task: id }: RecordOf<"ChargeFails">,
  known: StoryContext,
): MomentDraft {
  known.charges.delete(id);
  return {
    kind: "charge fails",
    sentence: say`${task(known, id)} gets no page: its cgroup uses ${num(usage)} of ${num(max)} ${pages(max)}.`,
  };
}

/** Reclaim in the cgroup has failed: its OOM killer runs. */
function outOfMemory(
  { values: { usage, max }, task: id }: RecordOf<"MemcgOom">,
  known: StoryContext,
): MomentDraft {
  known.charges.delete(id);
  known.groupOoms.set(id, "none");
  return {
    kind: "cgroup out of memory",
    sentence: say`${task(known, id)} can reclaim nothing: its cgroup uses ${num(usage)} of ${num(max)} ${pages(max)}.`,
  };
}

/** A victim of a cgroup's OOM killer; undefined if the task does not run that one. */
export function killedInGroup(
  { values, task: id }: RecordOf<"OomKill">,
  known: StoryContext,
): StorySpan[] | undefined {
  const killed = known.groupOoms.get(id);
  if (killed === undefined) return undefined;
  known.groupOoms.set(id, "some");
  const who = task(known, values.task);
  return killed === "none"
    ? say`The cgroup’s OOM killer kills ${who} (${num(values.rss)} ${pages(values.rss)}, ${num(values.swapped)} swapped).`
    : say`The OOM killer also kills ${who} because memory.oom.group is set.`;
}

function reclaimsAboveHigh(
  { values, task: id }: RecordOf<"HighReclaim">,
  known: StoryContext,
): undefined {
  known.aboveHigh.set(id, values);
}

function pauses(record: RecordOf<"HighPause">, known: StoryContext): MomentDraft | undefined {
  const over = known.aboveHigh.get(record.task);
  const who = task(known, record.task);
  const sentence = over
    ? say`${who} is throttled: its cgroup uses ${num(over.usage)} ${pages(over.usage)} (memory.high ${num(over.high)}).`
    : say`${who} is throttled: its cgroup is above memory.high.`;
  return holds(record, sentence, known);
}

/** The sentence functions for memory cgroups. */
export const GROUPS: Tellers = {
  ChargeOver: isOver,
  ChargeRoom: hasRoom,
  ChargeFails: fails,
  MemcgOom: outOfMemory,
  HighReclaim: reclaimsAboveHigh,
  HighPause: pauses,
};
