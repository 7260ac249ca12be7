// Texts about processes by node.

import type { NodeShare, ProcessRow } from "../draw/hinton";
import type { NearMoment } from "../draw/nearness";
import { count, counted, duration, percent } from "../engine/format";

const share = (part: number, whole: number): string => percent(whole === 0 ? 0 : part / whole);

const threadWords = (threads: number): string => counted(threads, "thread");

/** A process at one node, in words. */
export function placeSentence(row: ProcessRow, place: NodeShare): string {
  const memory =
    row.pages === 0
      ? "it has no memory yet"
      : `${share(place.pages, row.pages)} of its memory, ${count(place.pages)} of ${counted(row.pages, "page")}`;
  const running = place.threads > 0 ? `, ${count(place.running)} runnable` : "";
  return `${row.name} on node ${place.node}: ${memory}; ${count(place.threads)} of ${threadWords(row.threads)}${running}`;
}

/** The local share of a process's memory, in short form. */
export const localFigure = ({ local }: ProcessRow): string =>
  local === null ? "\u2013" : percent(local);

/** The whole state of a process in words. */
export function rowSentence(row: ProcessRow): string {
  const local =
    row.local === null
      ? "it has no memory yet"
      : `${percent(row.local)} of its pages are on the node of a thread, averaged over its threads`;
  const scans =
    row.scans === 0
      ? "not scanned for hinting faults yet"
      : `scanned ${row.scans === 1 ? "once" : `${counted(row.scans, "time")}`} for hinting faults`;
  return `${row.name}: ${local}; ${scans}`;
}

/** A process at a moment of the run. */
export function momentSentence(name: string, of: NearMoment, time_ns: number): string {
  const local = of.local === null ? "no memory" : `${percent(of.local)} local`;
  const nodes = of.nodes === 1 ? "one node" : counted(of.nodes, "node");
  const scans = counted(of.scans, "scan");
  return `${name} at ${duration(time_ns)}: ${local}, threads on ${nodes}, ${scans}`;
}

/** The processes that have converged, and since when. */
export function convergedWords(
  converged: readonly { readonly name: string; readonly time_ns: number }[],
  processes: number,
): string {
  if (converged.length === 0) return "No process has converged with its memory on one node";
  const each = converged.map(({ name, time_ns }) => `${name} from ${duration(time_ns)}`).join(", ");
  return `${count(converged.length)} of ${count(processes)} converged: ${each}`;
}
