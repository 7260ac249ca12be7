// The parts of a story's sentence, and the state that is kept from one record to the next.

import { count, duration, hex, zoneWords } from "../engine/format";
import type { Span } from "../engine/types";
import type { RecordName, RecordOf, Values } from "./records";

/** The kinds of events that are worth a sentence. */
const MOMENT_KINDS = [
  "mark crossed downwards",
  "mark crossed upwards",
  "zone refused",
  "kswapd woken",
  "kswapd naps",
  "kswapd asleep",
  "batch isolated",
  "batch done",
  "stall begun",
  "stall ended",
  "throttle begun",
  "throttle ended",
  "write-out begun",
  "write-out ended",
  "first page from another node",
  "kernel page among movable",
  "swap full",
  "reclaim gives up",
  "out of memory",
  "memory back",
  "charge over limit",
  "charge fits",
  "charge fails",
  "cgroup out of memory",
  "kernel panic",
] as const;
/** One of {@link MOMENT_KINDS}. */
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** A part of a sentence: one of the engine's kinds, or a page state in its colour. */
export type StorySpan =
  | Span
  | { readonly kind: "state"; readonly text: string; readonly token: string };

/** An event, in one sentence. */
export interface Moment {
  readonly kind: MomentKind;
  /** The step right after the event. */
  readonly step: number;
  readonly time_ns: number;
  /** The step of the record before it; shown from there, the event is visible. */
  readonly before: number;
  /** The actor, the action, and the two numbers compared: 12 words at most. */
  readonly sentence: readonly StorySpan[];
  /** The zone that crossed a watermark, and which one. */
  readonly crossing?: { readonly zone: string; readonly mark: MarkName };
  /** The task that was woken, and its waker if that was recorded. */
  readonly woken?: { readonly task: number; readonly waker: number | null };
}

/** A moment whose steps are not known yet. */
export type MomentDraft = Pick<Moment, "kind" | "sentence" | "crossing" | "woken">;

/** Watermarks of a zone, lowest first, as the records number them. */
export const MARK_NAMES = ["min", "low", "high"] as const;
/** One of {@link MARK_NAMES}. */
export type MarkName = (typeof MARK_NAMES)[number];

/** A zone's key and its watermarks, pages. */
interface ZoneWords extends Readonly<Record<MarkName, number>> {
  readonly key: string;
}

/** The names for the numbers in records. */
export interface StoryWords {
  readonly zones: readonly ZoneWords[];
  readonly tasks: ReadonlyMap<number, string>;
  /** Names of block devices, by index. */
  readonly devices: readonly string[];
  /** Names of the LRU lists, by index. */
  readonly lru: readonly string[];
}

/** A comparison of a zone's free pages with a watermark. */
export interface Test {
  readonly zone: number;
  readonly free: number;
  readonly counted: number;
  readonly needs: number;
  readonly mark: number;
  readonly kept_back: number;
}

const HIGH = 2;

/** The comparison of a record; the default watermark is high, the default reserve 0. */
export const testOf = ({
  mark = HIGH,
  kept_back = 0,
  ...values
}: Omit<Test, "mark" | "kept_back"> & { mark?: number; kept_back?: number }): Test => ({
  ...values,
  mark,
  kept_back,
});

/** What the records so far have shown. */
export class StoryContext {
  words: StoryWords;
  /**
   * Whether the records begin with the run, so that the first record of a kind is also the first in
   * the run.
   */
  readonly isWhole: boolean;
  /** Free pages of each zone. */
  readonly free = new Map<number, number>();
  /** For each zone and watermark: true at or below it, false above it, absent if unknown. */
  readonly isBelow = new Map<string, boolean>();
  /** Zones and watermarks whose refusal of a page or of a larger block has a sentence already. */
  readonly refused = new Set<string>();
  /** The last failed check of each task. */
  readonly refusals = new Map<number, Test>();
  /** The check because of which each task is about to wake kswapd. */
  readonly wakes = new Map<number, Test>();
  /** The node from which each task requests memory, and the size of the block. */
  readonly asks = new Map<number, Values<"ZoneFirst">>();
  /** Nodes whose fallback to another node already has a sentence. */
  readonly helped = new Set<number>();
  /** For each node, the zone that last passed its check. */
  readonly fine = new Map<number, Test>();
  /** When each node's kswapd began to nap. */
  readonly naps = new Map<number, number>();
  /** Zones that tasks are about to reclaim, unless something prevents it. */
  readonly opening = new Map<number, { readonly zone: number; readonly sentence: StorySpan[] }>();
  /** When each task in direct reclaim began it. */
  readonly stalls = new Map<number, number>();
  /** When each throttled task began to wait. */
  readonly throttles = new Map<number, { readonly since_ns: number; waker: number | null }>();
  /** Resident pages of tasks that the OOM killer chose and that have not exited yet. */
  readonly victims = new Map<number, number>();
  /** Tasks whose charge has reached memory.max of a cgroup and that reclaim there. */
  readonly charges = new Set<number>();
  /** Tasks that ran a cgroup's OOM killer last, and whether it has killed a process. */
  readonly groupOoms = new Map<number, "none" | "some">();
  /** The usage and memory.high that each task compared last. */
  readonly aboveHigh = new Map<number, Values<"HighReclaim">>();
  /** Whether there was a sentence that swap is full, and no victim has freed its slots since. */
  isSwapFull = false;
  /** The dirty pages that each writer was last compared with. */
  readonly dirty = new Map<number, Values<"BdpOver">>();
  /** Pages under writeback, by the task that started it. */
  readonly writing = { flusher: new Set<number | null>(), reclaim: new Set<number | null>() };
  /** Pages written since the write-out started. */
  readonly written = { flusher: 0, reclaim: 0 };

  constructor(words: StoryWords, isWhole: boolean) {
    this.words = words;
    this.isWhole = isWhole;
  }
}

/** The function that makes a sentence, by the record's name; other records have no sentence. */
export type Tellers = {
  readonly [N in RecordName]?: (
    record: RecordOf<N>,
    known: StoryContext,
  ) => MomentDraft | undefined;
};

/** A sentence: text, with the parts between it. */
export function say(
  words: TemplateStringsArray,
  ...parts: readonly (StorySpan | string)[]
): StorySpan[] {
  return words.flatMap((text, i) => {
    const part = parts[i];
    const before: StorySpan[] = text === "" ? [] : [{ kind: "text", text }];
    if (part === undefined) return before;
    return [...before, typeof part === "string" ? { kind: "number", text: part } : part];
  });
}

/** A number. */
export const num = (value: number): StorySpan => ({ kind: "number", text: count(value) });

/** The noun for the number before it: "page" for 1, "pages" otherwise. */
export const noun = (value: number, one: string): StorySpan => ({
  kind: "text",
  text: value === 1 ? one : `${one}s`,
});

/** A duration, counted as one word. */
export const lasting = (ns: number): StorySpan => ({
  kind: "number",
  text: duration(Math.max(0, ns)),
});

/** A page. */
export const page = (pfn: number): StorySpan => ({ kind: "page", text: hex(pfn), pfn });

/** A task's name. */
export const task = ({ words }: StoryContext, id: number): StorySpan => ({
  kind: "task",
  text: words.tasks.get(id) ?? `task ${id}`,
  id,
});

/** The name of a node's kswapd. */
export function kswapd(known: StoryContext, node: number): StorySpan {
  const id = kswapdId(known, node);
  return id === null ? { kind: "text", text: `kswapd${node}` } : task(known, id);
}

/** The id of the task that is a node's kswapd. */
export function kswapdId({ words }: StoryContext, node: number): number | null {
  for (const [id, name] of words.tasks) if (name === `kswapd${node}`) return id;
  return null;
}

/** The key of a zone by its index. */
export const zoneKey = ({ words }: StoryContext, index: number): string =>
  words.zones[index]?.key ?? "";

/** A zone's name: "DMA32 on node 0". */
export function zone(known: StoryContext, index: number): StorySpan {
  const key = zoneKey(known, index);
  return { kind: "zone", text: zoneWords(key), key };
}

/** The node of a zone. */
export const nodeOf = (known: StoryContext, index: number): number =>
  Number(zoneKey(known, index).split("/")[0]);

/** A block device. */
export const device = ({ words }: StoryContext, index: number): StorySpan => ({
  kind: "text",
  text: words.devices[index] ?? "a device",
});

/** A watermark with its pages and the reserve: "low 17", "low 15+2". */
export function markWords({ mark, needs, kept_back }: Test): string {
  const name = MARK_NAMES[mark] ?? "mark";
  const own = count(needs - kept_back);
  return kept_back > 0 ? `${name} ${own}+${count(kept_back)}` : `${name} ${own}`;
}

/** The pages that a check counted, and whether that is all free pages. */
export const countedWords = ({ counted, free }: Test): string =>
  `${count(counted)} ${counted === free ? "free" : "counted"}`;

/**
 * The key of an item that is highlighted while a moment is shown; see the keys of the selection.
 */
export type StoryKey = `${"zone" | "task" | "page"} ${string}`;

const keys = new WeakMap<Moment, readonly StoryKey[]>();

/** All items that a moment concerns; the same list each time. */
export function keysOf(moment: Moment): readonly StoryKey[] {
  const known = keys.get(moment);
  if (known) return known;
  const made = moment.sentence.flatMap((span): StoryKey[] => {
    if (span.kind === "zone") return [`zone ${span.key}`];
    if (span.kind === "task") return [`task ${span.id}`];
    return span.kind === "page" ? [`page ${span.pfn}`] : [];
  });
  keys.set(moment, made);
  return made;
}

/** The number of words in a sentence; a name counts as one. */
export const wordsIn = (sentence: readonly StorySpan[]): number =>
  textOf(sentence, () => "name")
    .split(" ")
    .filter(Boolean).length;

/** A sentence as text; if it was read ahead, it may contain a task that had no name then. */
export const textOf = (
  sentence: readonly StorySpan[],
  nameOf: (id: number) => string | undefined = () => undefined,
): string =>
  sentence
    .map((span) => (span.kind === "task" ? (nameOf(span.id) ?? span.text) : span.text))
    .join("");
