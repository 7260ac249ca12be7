// The view model of a run: the state and the actions that the timeline, the event log and the
// highlights need. The workbench is one view model; a page that shows a trace has its own.

import { createContext, use } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import type { AskLog } from "../engine/log-turns";
import type { Run } from "../engine/run";
import type { Catalog } from "../engine/types";
import { WorkbenchContext } from "./context";
import type { Setup } from "./setup";
import type { DialogName, Key, Layout, WorkbenchState } from "./store";
import type { Watch } from "./watch";

/** The state around a run. */
export interface RunViewState
  extends Pick<
    WorkbenchState,
    | "bookmarks"
    | "hovered"
    | "isFolded"
    | "layout"
    | "logView"
    | "range"
    | "scrub_ns"
    | "selected"
    | "story"
    | "tracks"
    | "longRun"
    | "window"
  > {
  readonly engine:
    | { readonly kind: "starting" | "unavailable" }
    | { readonly kind: "ready"; readonly catalog: Catalog };
  /** The open run. */
  readonly session: Run | null;
}

/** The part of the state that components may change. */
export type RunViewSetup = Pick<
  Setup,
  "bookmarks" | "isFolded" | "logView" | "range" | "selected" | "tracks" | "window"
>;

/** Moves the playhead. */
export type SeekTarget =
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "time"; readonly time_ns: number };

/** The view model of a run. */
export interface RunViewModel {
  readonly store: Pick<StoreApi<RunViewState>, "getState" | "getInitialState" | "subscribe">;
  readonly transport: { seek(place: SeekTarget): void };
  /** Searches for a value's last change; only a run that can be replayed has it. */
  readonly stops?: { lastChange(watch: Watch): void };
  keep(setup: Partial<RunViewSetup>): void;
  hover(key: Key | null): void;
  select(key: Key): void;
  setTracks(pairs: readonly number[]): void;
  showDialog(dialog: DialogName): void;
  layOut(part: Partial<Layout>): void;
  /** A new reader of the run's records and moments. */
  log(): AskLog;
}

/** Provides the view model of a page that has its own. */
export const RunViewModelContext = createContext<RunViewModel | null>(null);

/** The view model for a component: the nearest provided one, otherwise the page's workbench. */
export function useRunViewModel(): RunViewModel {
  const own = use(RunViewModelContext);
  const workbench = use(WorkbenchContext);
  const model = own ?? workbench;
  if (!model) throw new Error("a component has no view model of a run");
  return model;
}

/** A part of the view model's state; the selector must return a stable value. */
export function useRunViewState<T>(select: (state: RunViewState) => T): T {
  return useStore(useRunViewModel().store, select);
}

/** The catalog, once the engine is ready. */
export const catalogOf = ({ engine }: Pick<RunViewState, "engine">): Catalog | null =>
  engine.kind === "ready" ? engine.catalog : null;
