// Sentences about zones: they cross watermarks, refuse requests, and other nodes help out.

import type { RecordOf } from "./records";
import {
  countedWords,
  MARK_NAMES,
  type MarkName,
  type MomentDraft,
  markWords,
  nodeOf,
  num,
  page,
  type StoryContext,
  say,
  type Tellers,
  type Test,
  task,
  testOf,
  zone,
  zoneKey,
} from "./telling";

/** Makes a sentence from a record that contains a zone's number of free pages. */
function freeIs(index: number, free: number, known: StoryContext): MomentDraft | undefined {
  known.free.set(index, free);
  const words = known.words.zones[index];
  if (!words) return undefined;
  const margin = Math.max(1, (words.high - words.low) >> 1);
  let draft: MomentDraft | undefined;
  for (const mark of MARK_NAMES) {
    const key = `${index} ${mark}`;
    const was = known.isBelow.get(key);
    // A margin for crossing back, because the number of free pages fluctuates.
    const isUp = free > words[mark] + (mark === "high" ? 0 : margin);
    const is = free <= words[mark] ? true : isUp ? false : was;
    if (is === undefined) continue;
    known.isBelow.set(key, is);
    if (is === was) continue;
    if (mark === "high" && !is) forgive(index, known);
    // The first known value is not a crossing, and a fall to high has no consequence.
    if (was === undefined || (is && mark === "high")) continue;
    draft ??= crossed(index, free, mark, is, known);
  }
  return draft;
}

/** A zone above high again gets a new sentence for its next refusal. */
function forgive(index: number, known: StoryContext) {
  for (const key of known.refused) if (key.startsWith(`${index} `)) known.refused.delete(key);
}

function crossed(
  index: number,
  free: number,
  mark: MarkName,
  isDown: boolean,
  known: StoryContext,
): MomentDraft {
  const pages = known.words.zones[index]?.[mark] ?? 0;
  const how = !isDown ? "rises above" : free < pages ? "falls below" : "falls to";
  return {
    kind: isDown ? "mark crossed downwards" : "mark crossed upwards",
    sentence: say`${zone(known, index)} ${{ kind: "text", text: how }} ${{ kind: "text", text: mark }}: ${num(free)} free, ${{ kind: "text", text: mark }} ${num(pages)}.`,
    crossing: { zone: zoneKey(known, index), mark },
  };
}

function refuses({ values, task: id }: RecordOf<"WmFail" | "WmFailPlain">, known: StoryContext) {
  const test = testOf(values);
  known.refusals.set(id, test);
  known.free.set(values.zone, values.free);
  const size = (known.asks.get(id)?.order ?? 0) > 0 ? "block" : "page";
  const key = `${values.zone} ${values.mark} ${size}`;
  if (known.refused.has(key)) return undefined;
  known.refused.add(key);
  return refusal(test, id, known);
}

const refusal = (test: Test, id: number, known: StoryContext): MomentDraft => ({
  kind: "zone refused",
  sentence: say`${zone(known, test.zone)} fails ${task(known, id)}’s watermark check: ${countedWords(test)}, ${markWords(test)}.`,
});

/** The first page that another node supplies for a node. */
function given({ task: id, zone: index }: RecordOf<"mm_page_alloc">, known: StoryContext) {
  const node = known.asks.get(id)?.node;
  known.asks.delete(id);
  if (node === undefined || index === null || nodeOf(known, index) === node) return undefined;
  if (known.helped.has(node)) return undefined;
  known.helped.add(node);
  if (!known.isWhole) return undefined;
  const test = known.refusals.get(id);
  const sentence = test
    ? say`${task(known, id)} falls back to node ${num(nodeOf(known, index))} (node ${num(node)}: ${countedWords(test)}, ${markWords(test)}).`
    : say`${task(known, id)} falls back from node ${num(node)} to node ${num(nodeOf(known, index))}.`;
  return { kind: "first page from another node", sentence } as const;
}

/** Migrate types as records number them: the kernel's pages are Unmovable or Reclaimable. */
const MOVABLE = 1;

/** A kernel page goes to a pageblock that stays Movable, so it is now among pages of processes. */
function borrows({ values, task: id }: RecordOf<"mm_page_alloc_extfrag">, known: StoryContext) {
  const isKernels = values.alloc_migratetype !== MOVABLE;
  if (!isKernels || values.fallback_migratetype !== MOVABLE || values.change_ownership)
    return undefined;
  if (values.pfn === null) return undefined;
  const sentence = say`${task(known, id)} gets kernel page ${page(values.pfn)} from a Movable pageblock.`;
  return { kind: "kernel page among movable", sentence } as const;
}

/** The sentence functions for zones. */
export const ZONES: Tellers = {
  WmFail: refuses,
  WmFailPlain: refuses,
  WmPass: ({ values }, known) => freeIs(values.zone, values.free, known),
  WmPassPlain: ({ values }, known) => freeIs(values.zone, values.free, known),
  SplitDone: ({ values }, known) => freeIs(values.zone, values.free, known),
  PlaceHead: ({ values }, known) => freeIs(values.zone, values.free, known),
  ZoneFirst: ({ values, task: id }, known) => void known.asks.set(id, values),
  mm_page_alloc: given,
  mm_page_alloc_extfrag: borrows,
};
