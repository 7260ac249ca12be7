// Gives components access to the page's one workbench.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { Workbench } from "./controller";
import { modeOf, type WorkbenchState } from "./store";

/** Contains the page's workbench. */
export const WorkbenchContext = createContext<Workbench | null>(null);

/** The page's workbench: actions for components. */
export function useWorkbench(): Workbench {
  const workbench = use(WorkbenchContext);
  if (!workbench) throw new Error("this component must be rendered inside the workbench");
  return workbench;
}

/** A part of the page's state; the selector must return a stable value. */
export function useWorkbenchState<T>(select: (state: WorkbenchState) => T): T {
  return useStore(useWorkbench().store, select);
}

/** What the engine is doing, for the transport controls. */
export const useMode = () => useWorkbenchState(modeOf);

/**
 * Whether the page accepts steps. A step requested while an experiment opens is executed in that
 * experiment.
 */
export const useCanStep = () => {
  const mode = useMode();
  const isOpening = useWorkbenchState(({ session }) => session !== null && !session.frame);
  return mode === "paused" || isOpening;
};
