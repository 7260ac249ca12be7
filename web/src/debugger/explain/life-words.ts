// Sentences about what happened to a page frame, made from records.

import { count, hex, orderWords } from "../../engine/format";
import type { Rec, RecordName } from "../../engine/record";
import { gfpWords, taskName, valueText, type Words } from "../../engine/sentence";
import type { Span } from "../../engine/types";

const text = (words: string): Span => ({ kind: "text", text: words });
const bold = (words: string): Span => ({ kind: "number", text: words });
const page = (pfn: number | null): Span =>
  pfn === null ? bold("none") : { kind: "page", text: hex(pfn), pfn };

/** Parts from which sentences are made. */
export class Pieces {
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

  /** The block of the record, if it has more than one frame. */
  block(pfn: number | null, order: number): Span[] {
    if (order === 0) return [];
    return [text(" in the block of "), this.order(order), text(" at "), page(pfn)];
  }
}

type Says = { readonly [N in RecordName]?: (values: Rec<N>["values"], p: Pieces) => Span[] };

/** Sentences by the names of events, of the kernel and of the engine. */
export const SENTENCES: Says = {
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
