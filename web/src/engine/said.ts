// What the engine recorded of a decision, in words: the templates of `catalog.json`, filled with its
// numbers. The engine itself keeps numbers only.

import { count, hex, orderWords, zoneWords } from "./format";
import type * as recorded from "./pkg/mmscope";
import type { Catalog, Info, Span, View, Why } from "./types";

/** The names that numbers of decisions stand for. */
export interface SaidWords {
  readonly catalog: Pick<Catalog, "decisions" | "lru" | "flush_reasons" | "throttle_reasons">;
  readonly info: Pick<Info, "migratetypes" | "page_size">;
  /** Keys of the zones, by index. */
  readonly zones: readonly string[];
  readonly taskName: (id: number) => string;
  /** Classes of the block devices, by index. */
  readonly devices: readonly string[];
}

/** What the engine says of a moment, before its decision is in words. */
export type Recorded = recorded.View;

/** A moment with its decision in words. */
export function said(view: Recorded, catalog: Catalog, info: SaidWords["info"]): View {
  const { why } = view;
  return { ...view, why: why && whyOf(why, wordsOfView(view, catalog, info)) };
}

/** The names of a machine at a moment. */
export function wordsOfView(
  view: Pick<Recorded, "zones" | "tasks" | "devices">,
  catalog: SaidWords["catalog"],
  info: SaidWords["info"],
): SaidWords {
  return {
    catalog,
    info,
    zones: view.zones.map(({ key }) => key),
    taskName: (id) => view.tasks.find((task) => task.id === id)?.name ?? "",
    devices: view.devices.map(({ model }) => model),
  };
}

function whyOf({ decision, numbers, ...rest }: recorded.Why, words: SaidWords): Why {
  const kind = words.catalog.decisions[decision];
  const sentence = kind ? sentenceOf(kind.template, numbers, words) : [];
  return { ...rest, decision: kind?.name ?? "", numbers, sentence };
}

/** Words, or a place: its kind, the number's index and a noun to count. */
const PIECES = /\{([a-z]?)(\d)(?: ([^}]*))?\}|[^{]+/g;

/** A place of a template: what is meant by it, and which of a decision's numbers stands there. */
export interface Place {
  readonly letter: string;
  readonly index: number;
  /** The number that is meant by the one recorded. */
  readonly value: (recorded: number) => number;
}

/** The places of a template, each number once, by index. */
export function placesOf(template: string): Place[] {
  const places = new Map<number, Place>();
  for (const [, letter = "", index] of template.matchAll(PIECES)) {
    if (index === undefined) continue;
    const value = (recorded: number) => (letter === "s" ? recorded - BIAS : recorded);
    places.set(Number(index), { letter, index: Number(index), value });
  }
  return [...places.values()].sort((a, b) => a.index - b.index);
}

/** A template filled with six numbers, pages as page frame numbers. */
export function sentenceOf(template: string, numbers: readonly number[], words: SaidWords): Span[] {
  const spans = [...template.matchAll(PIECES)].map(([text, kind = "", index, noun]): Span => {
    if (index === undefined) return { kind: "text", text };
    return spanOf(kind, numbers[Number(index)] ?? 0, noun, words);
  });
  const [first] = spans;
  // A sentence begins with a capital letter, whatever it begins with.
  if (first?.kind === "number" && first.text.startsWith("node "))
    spans[0] = { kind: "number", text: `N${first.text.slice(1)}` };
  return spans;
}

const number = (text: string): Span => ({ kind: "number", text });
const plain = (text: string): Span => ({ kind: "text", text });

/** What may be negative is recorded as so much more than it is. */
const BIAS = 2 ** 31;
/** Names of the marks by index. */
const MARKS = ["min", "low", "high"] as const;

/** One place of a template; what the letters mean is said in the engine's module `why`. */
function spanOf(kind: string, value: number, noun: string | undefined, words: SaidWords): Span {
  const { catalog, info } = words;
  switch (kind) {
    case "z": {
      const key = words.zones[value] ?? "";
      return { kind: "zone", text: zoneWords(key), key };
    }
    case "t":
      return { kind: "task", text: words.taskName(value), id: value };
    case "p":
      return { kind: "page", text: hex(value), pfn: value };
    case "o":
      return number(orderWords(value, info.page_size));
    case "m":
      return plain(MARKS[value] ?? "");
    case "y":
      return number(info.migratetypes[value] ?? String(value));
    case "n":
      return number(`node ${value}`);
    case "l":
      return number(catalog.lru[value] ?? "");
    case "b":
      return plain(words.devices[value] ?? "");
    case "f":
      return number(catalog.flush_reasons[value] ?? "");
    case "k":
      return number(catalog.throttle_reasons[value] ?? "");
    case "s":
      return counted(value - BIAS, noun);
    default:
      return counted(value, noun);
  }
}

/** "1 page", "2 pages", or the bare number. */
function counted(value: number, noun: string | undefined): Span {
  if (noun === undefined) return number(count(value));
  return number(`${count(value)} ${noun}${value === 1 ? "" : "s"}`);
}
