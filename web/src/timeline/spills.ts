// The first fallback from each node to another, as far as the run has been seen.

import { useRef } from "react";
import { useRunViewState } from "../app/run-view-model";
import type { RunInfo, RunView } from "../engine/run";

/** The first page from another node for a request for this node's memory. */
export interface Spill {
  readonly node: number;
  readonly step: number;
  readonly time_ns: number;
  /** The zone that supplied it. */
  readonly zone: string;
}

/** Adds a view's fallbacks to those known before: going back in a run forgets none. */
export function known(before: readonly Spill[], view: Pick<RunView, "nodes">): readonly Spill[] {
  const seen = view.nodes.flatMap(({ id, spill }): Spill[] =>
    spill ? [{ node: id, step: spill.step, time_ns: spill.time_ns, zone: spill.zone }] : [],
  );
  const fresh = seen.filter(({ node }) => !before.some((old) => old.node === node));
  return fresh.length === 0 ? before : [...before, ...fresh];
}

/** All fallbacks seen in the open experiment. */
export function useSpills(): readonly Spill[] {
  const info = useRunViewState((state) => state.session?.info);
  const view = useRunViewState((state) => state.session?.frame?.view);
  const kept = useRef<{ of: RunInfo | undefined; spills: readonly Spill[] }>({
    of: info,
    spills: [],
  });
  if (kept.current.of !== info) kept.current = { of: info, spills: [] };
  if (view) kept.current.spills = known(kept.current.spills, view);
  return kept.current.spills;
}
