// Sentences about waiting and writing: tasks are throttled, write-outs begin and end.

import type { RecordName, RecordOf, StoryRecord } from "./records";
import {
  device,
  lasting,
  type MomentDraft,
  noun,
  num,
  type StoryContext,
  type StorySpan,
  say,
  type Tellers,
  task,
} from "./telling";

const DIRTY: StorySpan = { kind: "state", text: "dirty", token: "dirty" };

type At = { readonly task: number; readonly time_ns: number };

/** A task is throttled: one sentence until it continues. */
export function holds(
  { task: id, time_ns }: At,
  sentence: StorySpan[],
  known: StoryContext,
): MomentDraft | undefined {
  if (known.throttles.has(id)) return undefined;
  known.throttles.set(id, { since_ns: time_ns, waker: null });
  return { kind: "throttle begun", sentence };
}

/** The event that ended a wait in reclaim; its record is the first one of the task that continues. */
const CAUSES: Readonly<Partial<Record<RecordName, string>>> = {
  WaitEndedByWrite: ", because enough pages are written",
  WaitEndedByIsolation: ", because fewer pages are isolated",
  WaitEndedByProgress: ", because reclaim made progress",
  WaitEndedByQueue: ", because a device queue has drained",
};

/** A throttled task continues, as its own next record shows. */
export function released(
  { task: id, time_ns, name }: At & Pick<StoryRecord, "name">,
  known: StoryContext,
): MomentDraft | undefined {
  const throttle = known.throttles.get(id);
  if (!throttle) return undefined;
  known.throttles.delete(id);
  const { waker, since_ns } = throttle;
  // The wait was over before the task slept.
  if (time_ns <= since_ns) return undefined;
  const lasted = lasting(time_ns - since_ns);
  const cause: StorySpan = { kind: "text", text: CAUSES[name] ?? "" };
  const timer: StorySpan = { kind: "text", text: name === "WaitTimedOut" ? " (timeout)" : "" };
  return {
    kind: "throttle ended",
    sentence:
      waker === null
        ? say`${task(known, id)} continues after ${lasted}${timer}.`
        : say`${task(known, waker)} wakes ${task(known, id)} after ${lasted}${cause}.`,
    woken: { task: id, waker },
  };
}

/** A task wakes a throttled task. */
function wokenBy(id: number, waker: number, known: StoryContext): undefined {
  const throttle = known.throttles.get(id);
  if (throttle) throttle.waker = waker;
  return undefined;
}

function pauses(record: RecordOf<"BdpPause">, known: StoryContext) {
  const { dirty, setpoint } = record.values;
  const sentence = say`${task(known, record.task)} is paused with ${num(dirty)} ${noun(dirty, "page")} ${DIRTY} or under writeback (setpoint ${num(setpoint)}).`;
  return holds(record, sentence, known);
}

function waitsForDirty(record: RecordOf<"BdpWait">, known: StoryContext) {
  const over = known.dirty.get(record.task);
  const who = task(known, record.task);
  const sentence = over
    ? say`${who} is throttled with ${num(over.dirty)} ${noun(over.dirty, "page")} ${DIRTY} or under writeback (limit ${num(over.limit)}).`
    : say`${who} is throttled until fewer pages are ${DIRTY}.`;
  return holds(record, sentence, known);
}

function waitsForQueue(record: RecordOf<"WriteThrottled">, known: StoryContext) {
  const { device: dev, writes } = record.values;
  const sentence = say`${task(known, record.task)} is throttled: ${device(known, dev)} has reached its limit of ${num(writes)} ${noun(writes, "write")}.`;
  return holds(record, sentence, known);
}

function waitsForRoom(record: RecordOf<"QueueFull">, known: StoryContext) {
  const { device: dev, requests } = record.values;
  const sentence = say`${task(known, record.task)} is throttled: ${device(known, dev)} has reached its limit of ${num(requests)} ${noun(requests, "request")}.`;
  return holds(record, sentence, known);
}

/** The reasons for which reclaimers are throttled, by number. */
const REASONS = [
  "until pages are written",
  "until fewer pages are isolated",
  "until reclaim makes progress",
  "for one tick",
] as const;

function throttled(record: RecordOf<"Throttled">, known: StoryContext) {
  const { reason, node } = record.values;
  const why: StorySpan = { kind: "text", text: REASONS[reason] ?? "" };
  const who = task(known, record.task);
  return holds(record, say`${who} is throttled on node ${num(node)} ${why}.`, known);
}

const congested = (record: RecordOf<"CongestionSleep">, known: StoryContext) =>
  holds(
    record,
    say`${task(known, record.task)} is throttled until a congested queue drains.`,
    known,
  );

type Writer = "flusher" | "reclaim";

/** A page is written. Reclaim's first page gets a sentence; a flusher has its own record. */
function writes(
  by: Writer,
  page: number | null,
  record: At,
  known: StoryContext,
): MomentDraft | undefined {
  const isFirst = known.writing[by].size === 0;
  known.writing[by].add(page);
  if (isFirst) known.written[by] = 0;
  if (!isFirst || by === "flusher") return undefined;
  return {
    kind: "write-out begun",
    sentence: say`${task(known, record.task)} starts writing out pages that it cannot free yet.`,
  };
}

/** A write has finished. The last one in flight gets a sentence. */
function isWritten(page: number | null, known: StoryContext): MomentDraft | undefined {
  for (const by of ["flusher", "reclaim"] as const) {
    if (!known.writing[by].delete(page)) continue;
    known.written[by] += 1;
    if (known.writing[by].size > 0) return undefined;
    const who = by === "flusher" ? "the flusher" : "reclaim";
    return {
      kind: "write-out ended",
      sentence: say`The write-out by ${{ kind: "text", text: who }} has ended with ${num(known.written[by])} ${noun(known.written[by], "page")} written.`,
    };
  }
  return undefined;
}

function flushes(
  { task: id, values }: RecordOf<"FlushBackground">,
  known: StoryContext,
): MomentDraft | undefined {
  return {
    kind: "write-out begun",
    sentence: say`${task(known, id)} starts writing at ${num(values.dirty)} ${DIRTY} ${noun(values.dirty, "page")} (background limit ${num(values.limit)}).`,
  };
}

const flushesOld = (
  { task: id, values }: RecordOf<"FlushPeriodic">,
  known: StoryContext,
): MomentDraft | undefined =>
  values.dirty === 0
    ? undefined
    : {
        kind: "write-out begun",
        sentence: say`${task(known, id)} starts its periodic write-out with ${num(values.dirty)} ${DIRTY} ${noun(values.dirty, "page")}.`,
      };

const stopsFlushing = (
  { task: id, values }: RecordOf<"FlushBelow">,
  known: StoryContext,
): MomentDraft => ({
  kind: "write-out ended",
  sentence: say`${task(known, id)} has written enough, with ${num(values.dirty)} ${DIRTY} ${noun(values.dirty, "page")} left (background limit ${num(values.limit)}).`,
});

/** The sentence functions for waiting and writing. */
export const WAITS: Tellers = {
  BdpPause: pauses,
  BdpOver: ({ values, task: id }, known) => void known.dirty.set(id, values),
  BdpWait: waitsForDirty,
  WriteThrottled: waitsForQueue,
  QueueFull: waitsForRoom,
  Throttled: throttled,
  CongestionSleep: congested,
  Woken: ({ values, task: waker }, known) => wokenBy(values.task, waker, known),
  sched_waking: ({ values }, known) => wokenBy(values.task, values.waker, known),
  FlushBackground: flushes,
  FlushPeriodic: flushesOld,
  FlushBelow: stopsFlushing,
  FlushPage: ({ values, ...at }, known) => writes("flusher", values.page, at, known),
  Pageout: ({ values, ...at }, known) => writes("reclaim", values.page, at, known),
  PageWritten: ({ values }, known) => isWritten(values.page, known),
};
