// A sweep as one entry of the user's runs.

import type { CompleteResult } from "../../engine/sweep";
import type { PastRun } from "../../keep/history";
import { writeFragment } from "../../link/router";
import { baseTitle, type Definition } from "./definition";

const NS_PER_S = 1e9;

/** The entry of the finished runs of a sweep; null if no run has finished. */
export function recordedSweep(
  id: string,
  { experiment }: Definition,
  build: string,
  results: readonly CompleteResult[],
): Omit<PastRun, "note"> | null {
  const [first] = results;
  if (!first) return null;
  const sum = (of: (result: CompleteResult) => number) =>
    results.reduce((all, result) => all + of(result), 0);
  return {
    id: `sweep ${id}`,
    title: baseTitle(experiment, new Map()),
    kernel: "",
    source: "sweep",
    runs: results.length,
    made_ms: Date.now(),
    engine: first.engine,
    build,
    hash: "",
    steps: sum(({ steps }) => steps),
    time_ns: Math.round(sum(({ seconds }) => seconds) * NS_PER_S),
    figures: [],
    experiment: "",
    address: writeFragment({ page: "sweep", x: null, preset: null, id }),
  };
}
