// When a node's memory was first given by another one, as far as the run has been seen.

import { useRef } from "react";
import { useWorkbenchState } from "../app/context";
import type { Info, View } from "../engine/types";

/** The first page of another node that a request for this node's memory was given. */
export interface Spill {
  readonly node: number;
  readonly step: number;
  readonly time_ns: number;
  /** The zone that gave it. */
  readonly zone: string;
}

/** Those a moment knows of and those known before: going back in a run forgets none. */
export function known(before: readonly Spill[], view: Pick<View, "nodes">): readonly Spill[] {
  const seen = view.nodes.flatMap(({ id, spill }): Spill[] =>
    spill ? [{ node: id, step: spill.step, time_ns: spill.time_ns, zone: spill.zone }] : [],
  );
  const fresh = seen.filter(({ node }) => !before.some((old) => old.node === node));
  return fresh.length === 0 ? before : [...before, ...fresh];
}

/** All of the open experiment that have been seen. */
export function useSpills(): readonly Spill[] {
  const info = useWorkbenchState((state) => state.session?.info);
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  const kept = useRef<{ of: Info | undefined; spills: readonly Spill[] }>({ of: info, spills: [] });
  if (kept.current.of !== info) kept.current = { of: info, spills: [] };
  if (view) kept.current.spills = known(kept.current.spills, view);
  return kept.current.spills;
}
