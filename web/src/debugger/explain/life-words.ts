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
    text("It was allocated by "),
    p.task,
    ...p.block(pfn, order),
    ...(order === 0 ? [text(" as "), p.order(order)] : []),
    text(" with type "),
    p.type(migratetype),
    text(" and flags "),
    p.flags(gfp_flags),
    text("."),
  ],
  mm_page_alloc_zone_locked: ({ pfn, order, migratetype, percpu_refill }, p) => [
    text("It was taken from the buddy lists"),
    ...p.block(pfn, order),
    ...(percpu_refill ? [text(" to fill the per-cpu list of "), p.cpu] : []),
    text("; its type is "),
    p.type(migratetype),
    text("."),
  ],
  mm_page_alloc_extfrag: (values, p) => [
    text("It was taken"),
    ...p.block(values.pfn, values.fallback_order),
    text(" from type "),
    p.type(values.fallback_migratetype),
    text(" for a request of type "),
    p.type(values.alloc_migratetype),
    text(
      values.change_ownership ? "; its pageblock changes type." : "; its pageblock keeps its type.",
    ),
  ],
  mm_page_free: ({ pfn, order }, p) => [
    text("It was freed by "),
    p.task,
    ...p.block(pfn, order),
    text("."),
  ],
  mm_page_free_batched: () => [text("It was freed in a batch with other pages.")],
  mm_page_pcpu_drain: ({ pfn, order, migratetype }, p) => [
    text("It returned from the per-cpu list of "),
    p.cpu,
    text(" to the buddy lists"),
    ...p.block(pfn, order),
    text("; its type is "),
    p.type(migratetype),
    text("."),
  ],
  split: ({ pfn, order }, p) => [
    text("A free block was split. This frame is in the upper half, which is a block of "),
    p.order(order),
    text(" at "),
    page(pfn),
    text("."),
  ],
  merge: ({ pfn, order }, p) => [
    text("It was merged into the free block of "),
    p.order(order),
    text(" at "),
    page(pfn),
    text("."),
  ],
  mm_vmscan_writepage: ({ file }, p) => [
    text("It was written out by "),
    p.task,
    text(file ? " to its file." : " to swap."),
  ],
  mm_filemap_add_to_page_cache: (values) => [
    text("It was added to the page cache of "),
    ...fileAt(values.i_ino, values.index),
  ],
  mm_filemap_delete_from_page_cache: (values) => [
    text("It was removed from the page cache of "),
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
