// Texts about wait queues of reclaimers: their names, what would end the waits, and how long waits
// took.

import { endsOf, type Sleeps, waitsIn } from "../draw/queues";
import { count, counted, duration } from "../engine/format";
import type { GateView, QueueKind, QueueView } from "../engine/types";

/** A queue's heading. */
export const QUEUE_TITLES: Readonly<Record<QueueKind, string>> = {
  writeback: "Writeback",
  isolated: "Isolated",
  noprogress: "No progress",
  congested: "Congested",
  congestion_wait: "congestion_wait",
  wait_iff_congested: "wait_iff_congested",
  isolated_sleep: "Isolated",
  retry_wait: "Before a retry",
};

const LISTS = ["anon", "file"];

/** What would end the waits, with the numbers that are compared. */
export function gateWords(queue: QueueView, reclaimer: string | null): string {
  const { kind, gate } = queue;
  if (!gate)
    return kind === "noprogress"
      ? "no reclaimer is running that could end the wait"
      : "no task waits";
  return GATES[kind](gate, reclaimer);
}

type Words = (gate: GateView, reclaimer: string | null) => string;

const isolatedWords = ({ value, list }: GateView) =>
  `${count(value)} ${LISTS[list ?? 0] ?? ""} isolated`;

const devices = (value: number) => counted(value, "congested device");

const pending = ({ value, against }: GateView) =>
  `2 × ${count(value / 2)} await I/O, ${count(against)} reclaimable`;

const GATES: Readonly<Record<QueueKind, Words>> = {
  writeback: ({ value, against }) =>
    `${count(value)} written; sleepers wake above ${count(against)} (32 each)`,
  isolated: (gate) => `${isolatedWords(gate)}; sleepers wake at ${count(gate.against)} or fewer`,
  noprogress: ({ value, against }, reclaimer) =>
    `${reclaimer} reclaimed ${count(value)}; sleepers wake above ${count(against)}`,
  congested: pending,
  congestion_wait: ({ value }) => `${devices(value)}; nothing wakes sleepers early`,
  wait_iff_congested: ({ value }) => `${devices(value)}: ${value === 0 ? "no wait" : "tasks wait"}`,
  isolated_sleep: (gate) => `${isolatedWords(gate)}, ${count(gate.against)} allowed`,
  retry_wait: pending,
};

/** How long waits took, for readers who do not see the bars. */
export function sleepWords(sleeps: Sleeps, published: Sleeps, timeout_us: number): string {
  const words = (of: Sleeps, what: string) => {
    const { none, whole } = endsOf(of, timeout_us);
    return `${what}: ${counted(waitsIn(of), "wait")}, ${count(none)} ended at once, ${count(whole)} lasted ${duration(timeout_us * 1000)} or more`;
  };
  const there = published.length > 0 ? words(published, "published") : "no published values";
  return `${words(sleeps, "in this run")}; ${there}`;
}
