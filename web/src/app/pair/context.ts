// Gives components access to the two machines of the page that compares.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { Pair, PairState } from "./pair";

/** Provides both machines; null on pages with one machine. */
export const PairContext = createContext<Pair | null>(null);

/** Both machines: actions for components. */
export function usePair(): Pair {
  const pair = use(PairContext);
  if (!pair) throw new Error("this component must be rendered inside the comparison page");
  return pair;
}

/** A part of the shared state; the selector must return a stable value. */
export function usePairState<T>(select: (state: PairState) => T): T {
  return useStore(usePair().store, select);
}
