// The biography of a page frame: the engine's records of it, as sentences.

import { count, hex, orderWords } from "../../engine/format";
import {
  kindOf,
  type Rec,
  type RecordName,
  type Rows,
  readRecord,
  type Value,
  valuesByName,
} from "../../engine/record";
import { gfpWords, sentenceOf, taskName, valueText, type Words } from "../../engine/sentence";
import type { Span } from "../../engine/types";

/** An event or decision about a frame. */
interface LifeEvent {
  /** The step right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  /** The name of the event or decision. */
  readonly name: string;
  /** A decision about the frame, not an event. */
  readonly isDecision: boolean;
  readonly spans: readonly Span[];
}

/** The events of one step, by one task. */
export interface LifeStep {
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly events: readonly LifeEvent[];
}

const text = (words: string): Span => ({ kind: "text", text: words });
const bold = (words: string): Span => ({ kind: "number", text: words });
const page = (pfn: number | null): Span =>
  pfn === null ? bold("none") : { kind: "page", text: hex(pfn), pfn };

/** Parts from which sentences are made. */
class Pieces {
  readonly #record: Rec;
  readonly #words: Words;

  constructor(record: Rec, words: Words) {
    this.#record = record;
    this.#words = words;
  }

  get task(): Span {
    const { task } = this.#record;
    return { kind: "task", text: taskName(this.#words, task), id: task };
  }

  get cpu(): Span {
    return bold(`CPU ${this.#record.cpu}`);
  }

  type(migratetype: number): Span {
    return bold(valueText(this.#words, "migratetype", migratetype));
  }

  flags(gfp: number): Span {
    return text(gfpWords(this.#words.catalog.gfp, gfp));
  }

  order(order: number): Span {
    return bold(orderWords(order, this.#words.page_size));
  }

  /** The block of the record, if it is more than one frame. */
  block(pfn: number | null, order: number): Span[] {
    if (order === 0) return [];
    return [text(" in the block of "), this.order(order), text(" at "), page(pfn)];
  }
}

type Says = { readonly [N in RecordName]?: (values: Rec<N>["values"], p: Pieces) => Span[] };

/** Sentences by the names of events, of the kernel and of the engine. */
const SENTENCES: Says = {
  mm_page_alloc: ({ pfn, order, migratetype, gfp_flags }, p) => [
    text("Allocated by "),
    p.task,
    ...p.block(pfn, order),
    ...(order === 0 ? [text(" as "), p.order(order)] : []),
    text(", "),
    p.type(migratetype),
    text(", "),
    p.flags(gfp_flags),
    text("."),
  ],
  mm_page_alloc_zone_locked: ({ pfn, order, migratetype, percpu_refill }, p) => [
    text("Taken from the buddy lists"),
    ...p.block(pfn, order),
    ...(percpu_refill
      ? [text(" to fill "), p.cpu, text("’s per-cpu list, type ")]
      : [text(", type ")]),
    p.type(migratetype),
    text("."),
  ],
  mm_page_alloc_extfrag: (values, p) => [
    text("Borrowed"),
    ...p.block(values.pfn, values.fallback_order),
    text(": a free block of type "),
    p.type(values.fallback_migratetype),
    text(" serves a request of type "),
    p.type(values.alloc_migratetype),
    text(
      values.change_ownership ? "; its pageblock changes type." : "; its pageblock keeps its type.",
    ),
  ],
  mm_page_free: ({ pfn, order }, p) => [
    text("Freed by "),
    p.task,
    ...p.block(pfn, order),
    text("."),
  ],
  mm_page_free_batched: () => [text("It was freed in a batch with other pages.")],
  mm_page_pcpu_drain: ({ pfn, order, migratetype }, p) => [
    text("Returned from "),
    p.cpu,
    text("’s per-cpu list to the buddy lists"),
    ...p.block(pfn, order),
    text(", type "),
    p.type(migratetype),
    text("."),
  ],
  split: ({ pfn, order }, p) => [
    text("A free block was split: the frame is in its upper half, "),
    p.order(order),
    text(" at "),
    page(pfn),
    text("."),
  ],
  merge: ({ pfn, order }, p) => [
    text("Merged into the free block of "),
    p.order(order),
    text(" at "),
    page(pfn),
    text("."),
  ],
  mm_vmscan_writepage: ({ file }, p) => [
    text("Written out by "),
    p.task,
    text(file ? " to its file." : " to swap."),
  ],
  mm_filemap_add_to_page_cache: (values) => [
    text("Added to the page cache of "),
    ...fileAt(values.i_ino, values.index),
  ],
  mm_filemap_delete_from_page_cache: (values) => [
    text("Removed from the page cache of "),
    ...fileAt(values.i_ino, values.index),
  ],
};

const fileAt = (file: number, index: number): Span[] => [
  text("file "),
  bold(count(file)),
  text(" at index "),
  bold(count(index)),
  text("."),
];

/** The names of events that have a sentence. */
export const TOLD: ReadonlySet<string> = new Set(Object.keys(SENTENCES));

/** A record as a sentence; without a sentence of its own, its name and fields. */
function spansOf(record: Rec, words: Words): Span[] {
  const decided = sentenceOf(record, words);
  if (decided) return decided;
  // The name determines the sentence and the types of its values.
  const say = SENTENCES[record.name] as ((values: unknown, p: Pieces) => Span[]) | undefined;
  if (say) return say(record.values, new Pieces(record, words));
  const { name, fields } = kindOf(words.catalog, record.kind);
  const values: Readonly<Record<string, Value | undefined>> = valuesByName(record);
  const told = fields.map(
    (field) => `${field.name} ${valueText(words, field.kind, values[field.name] ?? null)}`,
  );
  return [text(`${name}: ${told.join(", ")}`)];
}

/** A record as an entry of the biography. */
function tell(record: Rec, words: Words): LifeEvent {
  const { step, time_ns, task, name, kind } = record;
  return {
    step,
    time_ns,
    task,
    taskName: taskName(words, task),
    name,
    isDecision: kindOf(words.catalog, kind).kind === "decision",
    spans: spansOf(record, words),
  };
}

/** Decisions that an event repeats. */
const RESTATED: ReadonlySet<string> = new Set<RecordName>(["Split"]);

/** The steps of a frame's life in the rows of a log, up to a step, oldest first. */
export function lifeOf(rows: Rows, words: Words, until: number): LifeStep[] {
  const steps: (LifeStep & { events: LifeEvent[] })[] = [];
  for (let i = 0; i < rows.count && rows.step(i) <= until; i += 1) {
    const record = readRecord(words.catalog, rows.row(i));
    if (RESTATED.has(record.name)) continue;
    const told = tell(record, words);
    const { step, time_ns, task, taskName: by } = told;
    const last = steps.at(-1);
    if (last?.step === step) last.events.push(told);
    else steps.push({ step, time_ns, task, taskName: by, events: [told] });
  }
  return steps;
}

/** How often the frame was allocated and freed. */
export function turnsOf(life: readonly LifeStep[]): { allocated: number; freed: number } {
  const events = life.flatMap((step) => step.events);
  const times = (wanted: string) => events.filter(({ name }) => name === wanted).length;
  return { allocated: times("mm_page_alloc"), freed: times("mm_page_free") };
}
