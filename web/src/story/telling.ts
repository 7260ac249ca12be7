// What a sentence of the story is made of, and what is remembered from one record to the next.

import { count, duration, hex, zoneWords } from "../engine/format";
import type { Span } from "../engine/types";
import type { RecordName, RecordOf, Values } from "./records";

/** What can happen that is worth a sentence. */
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
  "kernel panic",
] as const;
/** One of {@link MOMENT_KINDS}. */
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** A part of a sentence: as the engine's, or a page state in its hue. */
export type StorySpan =
  | Span
  | { readonly kind: "state"; readonly text: string; readonly token: string };

/** Something that happened, in one sentence. */
export interface Moment {
  readonly kind: MomentKind;
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  /** The step of the record before it: from there it is seen to happen. */
  readonly before: number;
  /** Who, what, the two numbers compared: 12 words at most. */
  readonly sentence: readonly StorySpan[];
  /** Which zone crossed which of its marks. */
  readonly crossing?: { readonly zone: string; readonly mark: MarkName };
  /** Who was woken, and by whom where that was recorded. */
  readonly woken?: { readonly task: number; readonly waker: number | null };
}

/** A moment before its place in the run is known. */
export type Told = Pick<Moment, "kind" | "sentence" | "crossing" | "woken">;

/** Marks of a zone, lowest first, as the records number them. */
export const MARK_NAMES = ["min", "low", "high"] as const;
/** One of {@link MARK_NAMES}. */
export type MarkName = (typeof MARK_NAMES)[number];

/** A zone's key and its marks, pages. */
interface ZoneWords extends Readonly<Record<MarkName, number>> {
  readonly key: string;
}

/** The names that numbers of records stand for. */
export interface StoryWords {
  readonly zones: readonly ZoneWords[];
  readonly tasks: ReadonlyMap<number, string>;
  /** Names of block devices, by index. */
  readonly devices: readonly string[];
  /** Names of the LRU lists, by index. */
  readonly lru: readonly string[];
}

/** A zone's free pages against a mark. */
export interface Test {
  readonly zone: number;
  readonly free: number;
  readonly counted: number;
  readonly needs: number;
  readonly mark: number;
  readonly kept_back: number;
}

const HIGH = 2;

/** The test of a record: where it names no mark that is high, and where nothing was kept back none. */
export const testOf = ({
  mark = HIGH,
  kept_back = 0,
  ...values
}: Omit<Test, "mark" | "kept_back"> & { mark?: number; kept_back?: number }): Test => ({
  ...values,
  mark,
  kept_back,
});

/** What is known from the records so far. */
export class Known {
  words: StoryWords;
  /** The records began with the run: what happens first in them happens first. */
  readonly isWhole: boolean;
  /** Free pages of each zone. */
  readonly free = new Map<number, number>();
  /** Marks a zone is known to be at or below, and those it is known to be above. */
  readonly isBelow = new Map<string, boolean>();
  /** Zones and marks that were told to refuse, a page or a larger block. */
  readonly refused = new Set<string>();
  /** What each task was refused by last. */
  readonly refusals = new Map<number, Test>();
  /** Why each task is about to wake kswapd. */
  readonly wakes = new Map<number, Test>();
  /** Whose memory each task asks for, by node, and how large a block. */
  readonly asks = new Map<number, Values<"ZoneFirst">>();
  /** Nodes that were told to be helped by others. */
  readonly helped = new Set<number>();
  /** The zone of each node found fine last. */
  readonly fine = new Map<number, Test>();
  /** Since when each node's kswapd naps. */
  readonly naps = new Map<number, number>();
  /** Zones that tasks are about to reclaim, unless something is in the way. */
  readonly opening = new Map<number, { readonly zone: number; readonly sentence: StorySpan[] }>();
  /** Tasks that reclaim for themselves, since when. */
  readonly stalls = new Map<number, number>();
  /** Tasks that are made to wait, since when. */
  readonly throttles = new Map<number, { readonly since_ns: number; waker: number | null }>();
  /** Pages in memory of tasks the OOM killer chose, which have not exited yet. */
  readonly victims = new Map<number, number>();
  /** It was told that swap is full, and no victim has given its slots back since. */
  isSwapFull = false;
  /** The dirty pages each writer was held against last. */
  readonly dirty = new Map<number, Values<"BdpOver">>();
  /** Pages under writeback, by who began it. */
  readonly writing = { flusher: new Set<number | null>(), reclaim: new Set<number | null>() };
  /** Pages written since the write-out began. */
  readonly written = { flusher: 0, reclaim: 0 };

  constructor(words: StoryWords, isWhole: boolean) {
    this.words = words;
    this.isWhole = isWhole;
  }
}

/** What is told of the records of each name; of one that is not here nothing is told. */
export type Tellers = {
  readonly [N in RecordName]?: (record: RecordOf<N>, known: Known) => Told | undefined;
};

/** A sentence: words, with the parts between them. */
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

/** The noun of a number before it: "page" of one, "pages" of any other. */
export const noun = (value: number, one: string): StorySpan => ({
  kind: "text",
  text: value === 1 ? one : `${one}s`,
});

/** A duration, read as one word. */
export const lasting = (ns: number): StorySpan => ({
  kind: "number",
  text: duration(Math.max(0, ns)),
});

/** A page. */
export const page = (pfn: number): StorySpan => ({ kind: "page", text: hex(pfn), pfn });

/** A task's name. */
export const task = ({ words }: Known, id: number): StorySpan => ({
  kind: "task",
  text: words.tasks.get(id) ?? `task ${id}`,
  id,
});

/** The name of a node's kswapd. */
export function kswapd(known: Known, node: number): StorySpan {
  const id = kswapdId(known, node);
  return id === null ? { kind: "text", text: `kswapd${node}` } : task(known, id);
}

/** The task that is a node's kswapd. */
export function kswapdId({ words }: Known, node: number): number | null {
  for (const [id, name] of words.tasks) if (name === `kswapd${node}`) return id;
  return null;
}

/** The key of a zone by its index. */
export const zoneKey = ({ words }: Known, index: number): string => words.zones[index]?.key ?? "";

/** A zone's name: "DMA32 on node 0". */
export function zone(known: Known, index: number): StorySpan {
  const key = zoneKey(known, index);
  return { kind: "zone", text: zoneWords(key), key };
}

/** The node a zone is on. */
export const nodeOf = (known: Known, index: number): number =>
  Number(zoneKey(known, index).split("/")[0]);

/** A block device. */
export const device = ({ words }: Known, index: number): StorySpan => ({
  kind: "text",
  text: words.devices[index] ?? "a device",
});

/** A mark with its pages, and what of them is kept back: "low 17", "low 15+2". */
export function markWords({ mark, needs, kept_back }: Test): string {
  const name = MARK_NAMES[mark] ?? "mark";
  const own = count(needs - kept_back);
  return kept_back > 0 ? `${name} ${own}+${count(kept_back)}` : `${name} ${own}`;
}

/** What a test counted, and whether that is all that is free. */
export const countedWords = ({ counted, free }: Test): string =>
  `${count(counted)} ${counted === free ? "free" : "counted"}`;

/** A key of what lights up where a moment is told; see the selection's. */
export type StoryKey = `${"zone" | "task" | "page"} ${string}`;

const keys = new WeakMap<Moment, readonly StoryKey[]>();

/** All a moment is about; the same list each time. */
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

/** How many words a sentence has; a name is one, whatever it is. */
export const wordsIn = (sentence: readonly StorySpan[]): number =>
  textOf(sentence, () => "name")
    .split(" ")
    .filter(Boolean).length;

/** A sentence as text; what was read ahead may name a task that did not have its name yet. */
export const textOf = (
  sentence: readonly StorySpan[],
  nameOf: (id: number) => string | undefined = () => undefined,
): string =>
  sentence
    .map((span) => (span.kind === "task" ? (nameOf(span.id) ?? span.text) : span.text))
    .join("");
