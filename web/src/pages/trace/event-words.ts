// Explains one event of a trace, in sentences made from its own numbers. Without the number there
// is no sentence.

import { count, counted, duration, orderWords } from "../../engine/format";
import type { LogEntry } from "../../engine/types";
import { PUT_BACK, PUT_BACK_WORDS } from "./reclaim";

type Numbers = (name: string) => number | null;
type Texts = (name: string) => string | null;

/** The sentences about an event. */
export function sentencesOf(event: LogEntry, page_size: number): readonly string[] {
  const field = (name: string) => event.fields.find((one) => one.name === name);
  const number: Numbers = (name) => {
    const value = field(name)?.value;
    return typeof value === "number" ? value : null;
  };
  const text: Texts = (name) => field(name)?.text ?? null;
  return WORDS[event.name]?.({ event, number, text, page_size }) ?? [];
}

interface EventContext {
  readonly event: LogEntry;
  readonly number: Numbers;
  readonly text: Texts;
  readonly page_size: number;
}

const request = ({ number, page_size }: EventContext): string => {
  const order = number("order");
  return order === null ? "a request" : `a request for ${orderWords(order, page_size)}`;
};

const pages = (many: number): string => counted(many, "page");

function inactive({ event, number }: EventContext): string[] {
  const [scanned, reclaimed] = [number("nr_scanned"), number("nr_reclaimed")];
  if (scanned === null || reclaimed === null) return [];
  const sentences = [
    `${event.taskName} finished a batch of ${pages(scanned)} and reclaimed ${count(reclaimed)} of them.`,
  ];
  const reasons = PUT_BACK.flatMap((name) => {
    const many = number(name);
    if (!many) return [];
    const [words, why] = PUT_BACK_WORDS[name];
    return [`${pages(many)} ${words} (${why}).`];
  });
  sentences.push(...reasons);
  const dirty = number("nr_dirty");
  if (dirty) {
    sentences.push(
      `${pages(dirty)} ${dirty === 1 ? "was" : "were"} dirty: the content is not on the disk yet.`,
    );
  }
  if (reclaimed < scanned && reasons.length === 0 && !dirty) {
    sentences.push("The event does not say why the other pages were not reclaimed.");
  }
  const priority = number("priority");
  if (priority !== null) sentences.push(priorityWords(priority));
  return sentences;
}

const priorityWords = (priority: number): string =>
  priority === 12
    ? "Priority 12 is the first round, which scans the smallest part of each list."
    : `The priority is ${priority}. A round that frees too little lowers it, so that the next round scans more of each list.`;

/** The sentences by the name of the event. */
const WORDS: Readonly<Record<string, (context: EventContext) => string[]>> = {
  mm_vmscan_lru_shrink_inactive: inactive,
  mm_vmscan_lru_isolate: ({ event, number, text }) => {
    const [scanned, taken] = [number("nr_scanned"), number("nr_taken")];
    if (scanned === null || taken === null) return [];
    const list = text("lru");
    const skipped = number("nr_skipped");
    return [
      `${event.taskName} scanned ${pages(scanned)} at the tail of ${list ?? "a list"} and isolated ${count(taken)} of them.`,
      ...(skipped
        ? [`It skipped ${pages(skipped)} of a zone that is too high for this request.`]
        : []),
    ];
  },
  mm_vmscan_lru_shrink_active: ({ event, number }) => {
    const [taken, down, referenced] = [
      number("nr_taken"),
      number("nr_deactivated"),
      number("nr_referenced"),
    ];
    if (taken === null || down === null) return [];
    return [
      `${event.taskName} isolated ${pages(taken)} from an active list. It deactivated ${count(down)}${referenced === null ? "" : ` and left ${count(referenced)} active because of references`}.`,
    ];
  },
  mm_vmscan_direct_reclaim_begin: (context) => [
    `${context.event.taskName} found no page for ${request(context)} and reclaims pages itself.`,
  ],
  mm_vmscan_direct_reclaim_end: ({ event, number }) => {
    const freed = number("nr_reclaimed");
    return freed === null
      ? []
      : [`${event.taskName} ends direct reclaim with ${pages(freed)} freed.`];
  },
  mm_vmscan_wakeup_kswapd: (context) => {
    const node = context.number("nid");
    return [
      `${context.event.taskName} wakes kswapd${node ?? ""}: free pages for ${request(context)} are below the low watermark.`,
    ];
  },
  mm_vmscan_kswapd_wake: (context) => [
    `${context.event.taskName} wakes up for ${request(context)}.`,
  ],
  mm_vmscan_kswapd_sleep: ({ event }) => [`${event.taskName} goes to sleep.`],
  mm_vmscan_throttled: ({ event, number, text }) => {
    const us = number("usec_delayed");
    return us === null
      ? []
      : [
          `${event.taskName} was throttled for ${duration(us * 1000)}; reason: ${text("reason") ?? "not printed"}.`,
        ];
  },
  mm_page_alloc_extfrag: ({ event, number, text, page_size }) => {
    const order = number("fallback_order");
    return order === null
      ? []
      : [
          `${event.taskName} got a page of type ${text("alloc_migratetype") ?? "?"} from ${orderWords(order, page_size)} of type ${text("fallback_migratetype") ?? "?"}: from now on that block mixes types.`,
        ];
  },
  mm_migrate_pages: ({ event, number }) => {
    const [moved, failed] = [number("nr_succeeded"), number("nr_failed")];
    return moved === null || failed === null
      ? []
      : [`${event.taskName} moved ${pages(moved)}; ${count(failed)} could not be moved.`];
  },
};
