// The state of the page: the state that a link contains, plus temporary state. The machine's state
// stays in the worker; the page has only the latest frame.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Frame, LongRun, Mode } from "../engine/protocol";
import type { Run } from "../engine/run";
import type { Catalog, Info, Position, Refusal, View } from "../engine/types";
import type { LinkRefusal, Presets } from "../link/link";
import type { LinkBookmark, LinkResult, LinkView } from "../link/schema";
import type { Stored } from "../stored";
import type { Line } from "../story/routine";
import type { TargetId } from "../story/run-to";
import type { Moment } from "../story/telling";
import { DEFAULT_PACE, DEFAULT_TEMPO, type Tempo } from "./pace";
import type { Source } from "./pending-open";
import { EMPTY_SETUP, type Setup } from "./setup";
import type { Breakpoint, WatchContext } from "./watch";

/** The key of an item that all views can highlight together: `zone 0/DMA32`, `task 3`, `page 4096`,
    `state 1`, `fn rmqueue`, and an event, see `selection`. */
export type Key = `${"zone" | "task" | "page" | "state" | "fn" | "event"} ${string}`;

/** The engine's readiness. */
type EngineState =
  | { readonly kind: "starting" }
  | {
      readonly kind: "ready";
      readonly version: string;
      readonly catalog: Catalog;
      readonly presets: Presets;
    }
  | { readonly kind: "unavailable"; readonly message: string };

/** An engine that has stopped. */
export interface Trap {
  readonly message: string;
  readonly position: Position | null;
  /** The reason: the engine broke an invariant, the browser ended its worker, or the worker has not
      answered for very long. A silent worker may be busy and may continue. */
  readonly why: "broke" | "ended" | "silent";
}

/** An opened experiment. */
export interface Session {
  readonly info: Info;
  /** Canonical JSON of the experiment. */
  readonly experiment: string;
  readonly frame: Frame | null;
  /**
   * The view before the last manual step, to highlight the changes of that step; null after a jump.
   */
  readonly before: View | null;
  /** Moments of the run so far, see `draw/series`. */
  readonly timeline: Float64Array;
}

/** The reason why an experiment was not opened, and what can be opened instead. */
export interface OpenRefusal {
  readonly source: Source;
  /** "unread": the reader broke or did not start. */
  readonly why: LinkRefusal | "unread";
  readonly detail: string;
  readonly refusals: readonly Refusal[];
  /** The experiment with the nearest valid values, as JSON. */
  readonly nearest: string | null;
}

/** An experiment that was open, and its step. */
export interface Left {
  readonly json: string;
  readonly step: number;
  /** The setup of the experiment, if it was reset together with the experiment. */
  readonly setup: Setup | null;
  /** The result of the experiment's run. */
  readonly result: LinkResult | null;
}

/** The name of a dialog. */
export type DialogName =
  | "experiment"
  | "disturb"
  | "menu"
  | "help"
  | "share"
  | "saved"
  | "procfs"
  | "import"
  | "goto"
  | "tracks"
  | "bookmarks"
  | "range"
  | "paid"
  | "shrink"
  | "table";

/** Which lists a node shows if there is space for only one kind: LRU lists or free lists. */
export type Face = "lru" | "free";

/** The tab in the lower half of the debugger. */
export type SideTab = "step" | NonNullable<LinkView["tab"]>;

/** The filter of the event log, by names. */
export type LogView = NonNullable<LinkView["log"]>;

/** A bookmark. */
export type Bookmark = LinkBookmark;

/** The zoom of a node's page map; absent for the whole node. */
export type MapZoom = LinkView["zoom"][string];

/** A range of virtual time: from, to, ns. */
export type Stretch = readonly [number, number];

/** One sentence about what just happened. */
export interface Notice {
  readonly text: string;
  /** The action that reverts it. */
  readonly undo: "undo" | "redo" | null;
}

/** The layout of the window's height between the machine and the timeline. */
export interface Layout {
  /** The height that the user gave the timeline, px; null: the window decides. */
  readonly chosen_px: number | null;
  /** Height of the open timeline, px; null until the stage has been measured. */
  readonly time_px: number | null;
  /** The timeline has space for only one line. */
  readonly isLine: boolean;
  /** In projector mode: the code covers the right half of the machine. */
  readonly isCodeOpen: boolean;
}

/** A tab of the phone layout. */
export type Tab = "machine" | "code" | "tasks" | "lists";

/** The story of the run, as far as it was read. */
export interface Story {
  /** Oldest first; some may be ahead of the machine. */
  readonly moments: readonly Moment[];
  /** The line that is shown while there is no sentence. */
  readonly line: Line | null;
  /** The moment shown now. */
  readonly now: Moment | null;
  /** The target of the search, and the progress of the search. */
  readonly search: { readonly words: string; readonly at: number } | null;
}

/** The state before anything was read. */
export const NO_STORY: Story = { moments: [], line: null, now: null, search: null };

/** The page's state. */
export interface WorkbenchState {
  readonly engine: EngineState;
  readonly trap: Trap | null;
  readonly session: Session | null;
  readonly refusal: OpenRefusal | null;
  /** Experiments that changes have replaced, newest last. */
  readonly past: readonly Left[];
  /** Experiments that undo has replaced, newest last. */
  readonly future: readonly Left[];
  /** The latest notice; the next one replaces it. */
  readonly notice: Notice | null;
  readonly paceIndex: number;
  readonly tempo: Tempo;
  readonly tempoIndex: number;
  readonly story: Story;
  /** The target of "run to". */
  readonly target: TargetId;
  readonly hovered: Key | null;
  readonly selected: readonly Key[];
  /** Zone shown in each node's free lists, by node id, if the user chose one. */
  readonly lists: Readonly<Record<string, string>>;
  /** Which lists the nodes show. */
  readonly face: Face;
  /** Show pageblocks instead of the LRU lists, if the machine has them. */
  readonly isOfBlocks: boolean;
  /** Show the CPUs instead of the line of tasks. */
  readonly isOfCpus: boolean;
  /** Show the processes by node instead of the line of tasks, if threads run on several nodes. */
  readonly isOfProcesses: boolean;
  /** Whether the timeline is one line; null until the user chooses: then the window decides. */
  readonly isFolded: boolean | null;
  readonly followed: number | null;
  readonly dialog: DialogName | null;
  /** The event log is open, next to the stage. */
  readonly isLogOpen: boolean;
  readonly logView: LogView;
  /** Bookmarks, by step. */
  readonly bookmarks: readonly Bookmark[];
  /** The user's title of this moment; a link contains it and the note. */
  readonly title: string;
  readonly note: string;
  /** The result of the run that the link carries, for whoever repeats it. */
  readonly result: LinkResult | null;
  /** Title and note are shown next to the machine. */
  readonly isCaptionOpen: boolean;
  /** Counters drawn over time, by name. */
  readonly tracks: readonly string[];
  /** The range of the timeline whose totals are shown. */
  readonly range: Stretch | null;
  /** The range that the timeline shows; null: the whole known run. */
  readonly window: Stretch | null;
  /** The zoom of each node's page map, by node id. */
  readonly zoom: Readonly<Record<string, MapZoom>>;
  readonly layout: Layout;
  readonly tab: Tab;
  readonly sideTab: SideTab;
  readonly breakpoints: readonly Breakpoint[];
  /** Id of the breakpoint at which a search or playback has just stopped. */
  readonly hit: string | null;
  readonly draft: Stored;
  /** The text of the live region. */
  readonly announcement: string;
  /** The packed link of the present moment, once it is known. */
  readonly packed: string | null;
  /** The target of scrubbing, ns, until the engine has arrived. */
  readonly scrub_ns: number | null;
  /** The long run in progress. */
  readonly longRun: LongRun | null;
}

/** The activity of the engine, as far as the page knows. */
export const modeOf = ({ longRun, session }: WorkbenchState): Mode["kind"] | "none" =>
  longRun ? "seeking" : (session?.frame?.mode.kind ?? "none");

/** Whether the timeline is one line: the user's choice, otherwise what the window allows. */
export const isTimeLine = ({
  isFolded,
  layout,
}: Pick<WorkbenchState, "isFolded" | "layout">): boolean => isFolded ?? layout.isLine;

/** The moment on the clock: the target of scrubbing, the progress of a run, or the drawn moment. */
export const momentOf = ({
  longRun,
  session,
  scrub_ns,
}: Pick<WorkbenchState, "longRun" | "scrub_ns"> & { readonly session: Run | null }): number =>
  scrub_ns ?? longRun?.at.time_ns ?? session?.frame?.view.position.time_ns ?? 0;

/** Where names of breakpoints and values are looked up, once a frame has arrived. */
export function knownOf({
  engine,
  session,
}: Pick<WorkbenchState, "engine" | "session">): WatchContext | null {
  if (engine.kind !== "ready" || !session?.frame) return null;
  return { catalog: engine.catalog, info: session.info, view: session.frame.view };
}

/** The page's state, read-only. */
export type ReadableStore = Omit<StoreApi<WorkbenchState>, "setState">;

/** The store of one page; only this folder uses it. */
export type WorkbenchStore = StoreApi<WorkbenchState>;

/** An empty page whose engine is starting. */
export const createWorkbenchStore = (): WorkbenchStore =>
  createStore<WorkbenchState>(() => ({
    engine: { kind: "starting" },
    trap: null,
    session: null,
    refusal: null,
    past: [],
    future: [],
    notice: null,
    paceIndex: DEFAULT_PACE,
    tempo: "events",
    tempoIndex: DEFAULT_TEMPO,
    story: NO_STORY,
    target: "refused",
    ...EMPTY_SETUP,
    isCaptionOpen: false,
    hovered: null,
    dialog: null,
    layout: { chosen_px: null, time_px: null, isLine: false, isCodeOpen: false },
    tab: "machine",
    hit: null,
    draft: "kept",
    announcement: "",
    packed: null,
    scrub_ns: null,
    longRun: null,
  }));
