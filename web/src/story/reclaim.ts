// Sentences about reclaim: kswapd wakes and sleeps, batches are isolated and processed, tasks enter
// direct reclaim.

import { OUT_OF_MEMORY } from "./out-of-memory";
import type { RecordOf, StoryRecord } from "./records";
import {
  countedWords,
  kswapd,
  kswapdId,
  lasting,
  type MomentDraft,
  markWords,
  nodeOf,
  noun,
  num,
  type StoryContext,
  type StorySpan,
  say,
  type Tellers,
  type Test,
  task,
  testOf,
  zone,
} from "./telling";

const wants = (
  { values, task: id }: { values: Parameters<typeof testOf>[0]; task: number },
  known: StoryContext,
) => void known.wakes.set(id, testOf(values));

function wakes(
  { values, task: id }: RecordOf<"mm_vmscan_wakeup_kswapd">,
  known: StoryContext,
): MomentDraft {
  const test = known.wakes.get(id);
  const who = kswapd(known, values.nid);
  const woken = kswapdId(known, values.nid);
  known.wakes.delete(id);
  known.naps.delete(values.nid);
  return {
    kind: "kswapd woken",
    sentence: test
      ? say`${task(known, id)} wakes ${who}: ${zone(known, test.zone)} has ${countedWords(test)}, ${markWords(test)}.`
      : say`${task(known, id)} wakes ${who}.`,
    ...(woken !== null && { woken: { task: woken, waker: id } }),
  };
}

const isFine = ({ values }: { values: Parameters<typeof testOf>[0] }, known: StoryContext) =>
  void known.fine.set(nodeOf(known, values.zone), testOf(values));

/** A zone of a node that is above its high watermark, according to the free pages known so far. */
function wellZone(known: StoryContext, node: number): Test | undefined {
  const test = known.fine.get(node);
  if (test && test.counted > test.needs) return test;
  for (const [zone, free] of known.free) {
    const high = known.words.zones[zone]?.high ?? Number.POSITIVE_INFINITY;
    if (nodeOf(known, zone) !== node || free <= high) continue;
    return { zone, counted: free, needs: high, mark: 2, kept_back: 0, free };
  }
  return undefined;
}

function naps(
  { values: { node }, time_ns }: RecordOf<"KswapdNap">,
  known: StoryContext,
): MomentDraft {
  known.naps.set(node, time_ns);
  const test = wellZone(known, node);
  return {
    kind: "kswapd naps",
    sentence: test
      ? say`${kswapd(known, node)} is done: ${zone(known, test.zone)} has ${countedWords(test)}, ${markWords(test)}.`
      : say`${kswapd(known, node)} has nothing left to do and naps.`,
  };
}

function sleeps(
  { values: { nid }, time_ns }: RecordOf<"mm_vmscan_kswapd_sleep">,
  known: StoryContext,
): MomentDraft {
  const since_ns = known.naps.get(nid);
  known.naps.delete(nid);
  return {
    kind: "kswapd asleep",
    sentence:
      since_ns === undefined
        ? say`${kswapd(known, nid)} goes to sleep.`
        : say`${kswapd(known, nid)} goes to sleep, because nothing woke it for ${lasting(time_ns - since_ns)}.`,
  };
}

const LISTS: Readonly<Record<string, { text: string; token: string }>> = {
  inactive_anon: { text: "inactive anonymous", token: "anon-inactive" },
  active_anon: { text: "active anonymous", token: "anon-active" },
  inactive_file: { text: "inactive file", token: "file-inactive" },
  active_file: { text: "active file", token: "file-active" },
};

/** The pages of a list, in their colour. */
function list({ words }: StoryContext, index: number): StorySpan {
  const name = words.lru[index] ?? "";
  const known = LISTS[name];
  return known ? { kind: "state", ...known } : { kind: "text", text: name };
}

function isolated(
  { values, task: id }: RecordOf<"Isolated">,
  known: StoryContext,
): MomentDraft | undefined {
  const { taken, want, lru } = values;
  if (taken === 0) return undefined;
  return {
    kind: "batch isolated",
    sentence: say`${task(known, id)} isolates ${num(taken)} ${list(known, lru)} ${noun(taken, "page")} (${num(want)} requested).`,
  };
}

function done(
  { values, task: id }: RecordOf<"BatchDone">,
  known: StoryContext,
): MomentDraft | undefined {
  const { taken, freed, put_back } = values;
  if (taken === 0) return undefined;
  return {
    kind: "batch done",
    sentence: say`${task(known, id)} frees ${num(freed)} of ${num(taken)} isolated ${noun(taken, "page")} and puts back ${num(put_back)}.`,
  };
}

function stalls(
  {
    name,
    task: id,
    time_ns,
  }: RecordOf<"mm_vmscan_direct_reclaim_begin" | "mm_vmscan_node_reclaim_begin">,
  known: StoryContext,
): MomentDraft {
  known.stalls.set(id, time_ns);
  const isDirect = name === "mm_vmscan_direct_reclaim_begin";
  const does: StorySpan = {
    kind: "text",
    text: isDirect ? "reclaims directly" : "reclaims its node",
  };
  const test = known.refusals.get(id);
  return {
    kind: "stall begun",
    sentence: test
      ? say`${task(known, id)} ${does}: ${zone(known, test.zone)} has ${countedWords(test)}, ${markWords(test)}.`
      : say`${task(known, id)} ${does}.`,
  };
}

function goesOn(id: number, freed: number, time_ns: number, known: StoryContext): MomentDraft {
  const since_ns = known.stalls.get(id);
  known.stalls.delete(id);
  const pages = noun(freed, "page");
  const sentence =
    since_ns !== undefined
      ? say`${task(known, id)} continues after freeing ${num(freed)} ${pages} in ${lasting(time_ns - since_ns)}.`
      : say`${task(known, id)} continues: ${num(freed)} ${pages} freed.`;
  return { kind: "stall ended", sentence };
}

/** Kernel 3.0 reclaims a nearby zone before it tries others, unless something prevents it. */
function opens(
  id: number,
  index: number,
  { has, limit, what }: { has: number; limit: number; what: "unmapped" | "slab" },
  known: StoryContext,
) {
  const kind: StorySpan = { kind: "text", text: what };
  const sentence = say`${task(known, id)} reclaims ${zone(known, index)}: ${num(has)} ${kind} ${noun(has, "page")}, limit ${num(limit)}.`;
  known.opening.set(id, { zone: index, sentence });
  return undefined;
}

/** The task's next record shows that nothing prevented reclaim. */
export function opened(
  { name, task: id, time_ns }: StoryRecord,
  known: StoryContext,
): MomentDraft | undefined {
  const opening = known.opening.get(id);
  known.opening.delete(id);
  if (!opening || name === "ZrLocked" || name === "ZrRemote" || name === "ZrNoWait")
    return undefined;
  known.stalls.set(id, time_ns);
  return { kind: "stall begun", sentence: opening.sentence };
}

const closes = (
  { values, task: id, time_ns }: RecordOf<"ZrSuccess" | "ZrSome">,
  known: StoryContext,
) => goesOn(id, values.reclaimed, time_ns, known);

/** The sentence functions for reclaim. */
export const RECLAIM: Tellers = {
  WakeKswapd: wants,
  WakeKswapdKept: wants,
  WakeKswapdOrder: wants,
  mm_vmscan_wakeup_kswapd: wakes,
  ZoneFine: isFine,
  ZoneFineKept: isFine,
  KswapdNap: naps,
  mm_vmscan_kswapd_sleep: sleeps,
  Isolated: isolated,
  BatchDone: done,
  mm_vmscan_direct_reclaim_begin: stalls,
  mm_vmscan_node_reclaim_begin: stalls,
  mm_vmscan_direct_reclaim_end: ({ values, task: id, time_ns }, known) =>
    goesOn(id, values.nr_reclaimed, time_ns, known),
  mm_vmscan_node_reclaim_end: ({ values, task: id, time_ns }, known) =>
    goesOn(id, values.nr_reclaimed, time_ns, known),
  ZrOpen: ({ values: { zone: index, unmapped, keep_unmapped }, task: id }, known) =>
    opens(id, index, { has: unmapped, limit: keep_unmapped, what: "unmapped" }, known),
  ZrOpenSlab: ({ values: { zone: index, slab, keep_slab }, task: id }, known) =>
    opens(id, index, { has: slab, limit: keep_slab, what: "slab" }, known),
  ZrSuccess: closes,
  ZrSome: closes,
  ...OUT_OF_MEMORY,
};
