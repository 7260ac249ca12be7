// The first fallback from each node to another, as far as the run has been seen.

import { useRef } from "react";
import { useRunViewState } from "../app/run-view-model";
import type { RunInfo, RunView } from "../engine/run";

/** The first page from another node for a request for this node's memory. */
export interface Fallback {
  readonly node: number;
  readonly step: number;
  readonly time_ns: number;
  /** The zone that supplied it. */
  readonly zone: string;
}

/** Adds a view's fallbacks to the known ones, so that going back in a run forgets none. */
export function fallbacksUpTo(
  before: readonly Fallback[],
  view: Pick<RunView, "nodes">,
): readonly Fallback[] {
  const seen = view.nodes.flatMap(({ id, first_fallback: first }): Fallback[] =>
    first ? [{ node: id, step: first.step, time_ns: first.time_ns, zone: first.zone }] : [],
  );
  const fresh = seen.filter(({ node }) => !before.some((old) => old.node === node));
  return fresh.length === 0 ? before : [...before, ...fresh];
}

/** All fallbacks seen in the open experiment. */
export function useFallbacks(): readonly Fallback[] {
  const info = useRunViewState((state) => state.session?.info);
  const view = useRunViewState((state) => state.session?.frame?.view);
  const seen = useRef<{ of: RunInfo | undefined; fallbacks: readonly Fallback[] }>({
    of: info,
    fallbacks: [],
  });
  if (seen.current.of !== info) seen.current = { of: info, fallbacks: [] };
  if (view) seen.current.fallbacks = fallbacksUpTo(seen.current.fallbacks, view);
  return seen.current.fallbacks;
}
