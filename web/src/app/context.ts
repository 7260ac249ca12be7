// How components reach the one workbench of the page.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { Workbench } from "./controller";
import { modeOf, type WorkbenchState } from "./store";

/** Holds the page's workbench. */
export const WorkbenchContext = createContext<Workbench | null>(null);

/** The page's workbench: actions for components. */
export function useWorkbench(): Workbench {
  const workbench = use(WorkbenchContext);
  if (!workbench) throw new Error("a component stands outside the workbench");
  return workbench;
}

/** A part of the page's memory; the selector must give a stable value. */
export function useWorkbenchState<T>(select: (state: WorkbenchState) => T): T {
  return useStore(useWorkbench().store, select);
}

/** What the engine is doing, as the transport needs it. */
export const useMode = () => useWorkbenchState(modeOf);

/** Can it be stepped? While an experiment opens a step is meant for it, and is taken where it opens. */
export const useCanStep = () => {
  const mode = useMode();
  const isOpening = useWorkbenchState(({ session }) => session !== null && !session.frame);
  return mode === "paused" || isOpening;
};
