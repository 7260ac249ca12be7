// The biography of a page frame: what the engine recorded about it, as sentences a person reads.

import { hex, orderWords } from "../../engine/format";
import { DECISION, LOG_ROW } from "../../engine/log";
import { sentenceOf } from "../../engine/said";
import type { Span } from "../../engine/types";
import { eventAt, gfpWords, type LogEvent, type LogWords, rowCount, rowStep } from "../../log/rows";

/** What the sentences need to know: what the log does. */
export type LifeWords = LogWords;

/** Something that happened to a frame. */
export interface LifeEvent {
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  /** The event's name, or the decision's. */
  readonly name: string;
  /** A decision about it, rather than an event. */
  readonly isDecision: boolean;
  readonly spans: readonly Span[];
}

/** What happened in one step, by one task. */
export interface LifeStep {
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly events: readonly LifeEvent[];
}

const text = (words: string): Span => ({ kind: "text", text: words });
const bold = (words: string): Span => ({ kind: "number", text: words });
const page = (pfn: number): Span => ({ kind: "page", text: hex(pfn), pfn });

/** The numbers and names of an event's fields. */
class Fields {
  readonly event: LogEvent;
  readonly #words: LifeWords;

  constructor(event: LogEvent, words: LifeWords) {
    this.event = event;
    this.#words = words;
  }

  value(name: string): number {
    return this.event.fields.find((field) => field.name === name)?.value ?? 0;
  }

  said(name: string): Span {
    return bold(this.event.fields.find((field) => field.name === name)?.text ?? "");
  }

  order(name: string): Span {
    return bold(orderWords(this.value(name), this.#words.said.info.page_size));
  }

  get task(): Span {
    return { kind: "task", text: this.event.taskName, id: this.event.task };
  }

  get cpu(): Span {
    return bold(`CPU ${this.event.cpu}`);
  }

  get flags(): Span {
    return text(gfpWords(this.#words.catalog.gfp, this.value("gfp_flags")));
  }

  /** The block the event is about, where it is more than one frame. */
  block(order = "order"): Span[] {
    if (this.value(order) === 0) return [];
    return [text(" in the block of "), this.order(order), text(" at "), page(this.event.pfn ?? 0)];
  }
}

type Say = (f: Fields) => Span[];

/** Sentences by the kernel's, or the engine's, names of events. */
const SENTENCES: Readonly<Record<string, Say>> = {
  mm_page_alloc: (f) => [
    text("Allocated by "),
    f.task,
    ...f.block(),
    ...(f.value("order") === 0 ? [text(" for "), f.order("order")] : []),
    text(", "),
    f.said("migratetype"),
    text(", "),
    f.flags,
    text("."),
  ],
  mm_page_alloc_zone_locked: (f) => [
    text("Taken from the buddy lists"),
    ...f.block(),
    ...(f.value("percpu_refill") === 1
      ? [text(" to fill "), f.cpu, text("’s own list, type ")]
      : [text(", type ")]),
    f.said("migratetype"),
    text("."),
  ],
  mm_page_alloc_extfrag: (f) => [
    text("Borrowed"),
    ...f.block("fallback_order"),
    text(": a free block of type "),
    f.said("fallback_migratetype"),
    text(" serves a request of type "),
    f.said("alloc_migratetype"),
    text(
      f.value("change_ownership") === 1
        ? "; its pageblock changes type."
        : "; its pageblock keeps its type.",
    ),
  ],
  mm_page_free: (f) => [text("Freed by "), f.task, ...f.block(), text(".")],
  mm_page_free_batched: () => [text("It was one of a list of pages freed together.")],
  mm_page_pcpu_drain: (f) => [
    text("Given back from "),
    f.cpu,
    text("’s own list to the buddy lists"),
    ...f.block(),
    text(", type "),
    f.said("migratetype"),
    text("."),
  ],
  split: (f) => [
    text("A free block was halved: the frame is in its upper half, "),
    f.order("order"),
    text(" at "),
    page(f.event.pfn ?? 0),
    text("."),
  ],
  merge: (f) => [
    text("Merged into the free block of "),
    f.order("order"),
    text(" at "),
    page(f.event.pfn ?? 0),
    text("."),
  ],
  mm_vmscan_writepage: (f) => [
    text("Written out by "),
    f.task,
    text(f.value("file") === 1 ? " to its file." : " to swap."),
  ],
  mm_filemap_add_to_page_cache: (f) => [text("Added to the page cache of "), ...fileAt(f)],
  mm_filemap_delete_from_page_cache: (f) => [text("Taken out of the page cache of "), ...fileAt(f)],
};

const fileAt = (f: Fields): Span[] => [
  text("file "),
  f.said("i_ino"),
  text(" at index "),
  f.said("index"),
  text("."),
];

/** The names of events there is a sentence for. */
export const TOLD: ReadonlySet<string> = new Set(Object.keys(SENTENCES));

/** An event as a sentence; one without words of its own is told by its name and fields. */
function sentence(event: LogEvent, words: LifeWords): Span[] {
  const fields = new Fields(event, words);
  const say = SENTENCES[event.name];
  if (say) return say(fields);
  return [text(`${event.name}: ${event.fields.map((f) => `${f.name} ${f.text}`).join(", ")}`)];
}

/** A row as something told. */
function tell(rows: Float64Array, words: LifeWords, index: number): LifeEvent {
  const event = eventAt(words, rows, index);
  const { step, time_ns, task, taskName, name } = event;
  const kind = rows[index * LOG_ROW + 4] ?? 0;
  if (kind < DECISION) {
    const spans = sentence(event, words);
    return { step, time_ns, task, taskName, name, isDecision: false, spans };
  }
  const decision = words.said.catalog.decisions[kind - DECISION];
  const numbers = Array.from(rows.subarray(index * LOG_ROW + 6, (index + 1) * LOG_ROW));
  const spans = sentenceOf(decision?.template ?? "", numbers, words.said);
  return { step, time_ns, task, taskName, name: decision?.name ?? "", isDecision: true, spans };
}

/** Decisions whose event says the same. */
const RESTATED: ReadonlySet<string> = new Set(["Split"]);

/** What some rows of a log say of a frame, up to a step and nothing beyond it, oldest first. */
export function lifeOf(rows: Float64Array, words: LifeWords, until: number): LifeStep[] {
  const steps: (LifeStep & { events: LifeEvent[] })[] = [];
  for (let i = 0; i < rowCount(rows) && rowStep(rows, i) <= until; i += 1) {
    const told = tell(rows, words, i);
    if (told.isDecision && RESTATED.has(told.name)) continue;
    const { step, time_ns, task, taskName } = told;
    const last = steps.at(-1);
    if (last?.step === step) last.events.push(told);
    else steps.push({ step, time_ns, task, taskName, events: [told] });
  }
  return steps;
}

/** How often the frame was handed out and taken back. */
export function turnsOf(life: readonly LifeStep[]): { allocated: number; freed: number } {
  const events = life.flatMap((step) => step.events);
  const times = (wanted: string) => events.filter(({ name }) => name === wanted).length;
  return { allocated: times("mm_page_alloc"), freed: times("mm_page_free") };
}
