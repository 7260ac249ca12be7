// Compares two runs of the history.

import type { PastRun } from "../../keep/history";

/** A counter whose value differs, with both values. */
export interface ComparedFigure {
  readonly name: string;
  readonly first: number;
  readonly second: number;
}

/** The counters that differ between two runs; a counter that a run does not have counts as 0. */
export function differingFigures(first: PastRun, second: PastRun): readonly ComparedFigure[] {
  const [a, b] = [new Map(first.figures), new Map(second.figures)];
  const names = [...new Set([...a.keys(), ...b.keys()])].sort();
  return names
    .map((name) => ({ name, first: a.get(name) ?? 0, second: b.get(name) ?? 0 }))
    .filter((row) => row.first !== row.second);
}

/** Whether a run matches all words of a search. */
export function matches(run: PastRun, search: string): boolean {
  const text = [run.title, run.kernel, run.hash, run.note, run.source].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
