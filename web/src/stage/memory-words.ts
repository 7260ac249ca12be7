// Texts about the memory of nodes and the paths between them.

import type { Flow, MemoryRow, Served } from "../draw/memory-nodes";
import { count, duration, percent } from "../engine/format";

const NARROW = "\u202f";
const [KIB, MIB, GIB] = [2 ** 10, 2 ** 20, 2 ** 30];

/** A number of bytes: 64 B, 12 KiB, 3.1 MiB. */
export function bytesWords(bytes: number): string {
  if (bytes < KIB) return `${count(bytes)}${NARROW}B`;
  if (bytes < MIB) return `${count(bytes / KIB)}${NARROW}KiB`;
  const [unit, name] = bytes < GIB ? [MIB, "MiB"] : [GIB, "GiB"];
  const value = bytes / unit;
  return `${value < 100 ? value.toFixed(1) : count(value)}${NARROW}${name}`;
}

/** The longest wait of a new access in some queues, in short form. */
export function waitFigure(of: readonly Served[]): string {
  const queue_ns = Math.max(0, ...of.map((each) => each.queue_ns));
  return queue_ns === 0 ? "no wait" : `wait ${duration(queue_ns)}`;
}

/** How busy a queue is. */
export const servedWords = (what: string, { busy, queue_ns }: Served): string =>
  `${what} was busy ${percent(busy)} of the time since boot, and an access made now ${
    queue_ns === 0 ? "does not wait" : `waits ${duration(queue_ns)}`
  }`;

/** How busy a path is: one direction, and the link that both directions share. */
export const linkWords = (direction: Served, link: Served): string =>
  `${servedWords("This direction", direction)}. ${servedWords("The link in both directions", link)}`;

/** The whole state of a node's memory. */
export const rowSentence = (row: MemoryRow): string =>
  `${servedWords(`Memory of node ${row.node}`, row)}.`;

/** The bytes moved along one path. */
export function flowSentence(node: number, { from, isOwn, bytes, direction, link }: Flow): string {
  const moved = `${bytesWords(bytes)} moved since boot between the memory of node ${node} and ${
    isOwn ? "its own CPUs" : `the CPUs of node ${from}`
  }`;
  if (!direction || !link) return `${moved}.`;
  return `${moved}. ${linkWords(direction, link)}.`;
}
