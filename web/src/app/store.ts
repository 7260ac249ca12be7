// What the page remembers: what a link carries plus what is momentary. The machine's state stays in
// the worker; the page holds only the latest frame it was sent.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Frame, Mode, Way } from "../engine/protocol";
import type { Catalog, Info, Position, Refusal, View } from "../engine/types";
import type { LinkRefusal, Presets } from "../link/link";
import type { LinkBookmark, LinkView } from "../link/schema";
import type { Stored } from "../stored";
import type { Line } from "../story/routine";
import type { TargetId } from "../story/run-to";
import type { Moment } from "../story/telling";
import type { Source } from "./coming";
import { type Kept, NOTHING_KEPT } from "./kept";
import { DEFAULT_PACE, DEFAULT_TEMPO, type Tempo } from "./pace";
import type { Breakpoint, Known } from "./watch";

/** Something that lights up in every view at once: `zone 0/DMA32`, `task 3`, `page 4096`, `state 1`,
 * `fn rmqueue`, and an event, see `selection`. */
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
  /** It broke one of its own rules; the browser ended its worker; or that has not answered for very
   * long, and may be busy: then it may yet go on. */
  readonly why: "broke" | "ended" | "silent";
}

/** An opened experiment. */
export interface Session {
  readonly info: Info;
  /** Canonical JSON of the experiment. */
  readonly experiment: string;
  readonly frame: Frame | null;
  /** The view before the last manual step, to mark what it changed; none after a jump. */
  readonly before: View | null;
  /** Moments of the run so far, see `draw/series`. */
  readonly timeline: Float64Array;
}

/** Why something was not opened, and what can be opened instead. */
export interface OpenRefusal {
  readonly source: Source;
  /** "unread": what reads it broke, or did not start. */
  readonly why: LinkRefusal | "unread";
  readonly detail: string;
  readonly refusals: readonly Refusal[];
  /** The experiment with the nearest valid values, as JSON. */
  readonly nearest: string | null;
}

/** An experiment that was open, and where a person stood in it. */
export interface Left {
  readonly json: string;
  readonly step: number;
  /** What was set up around it, where that ended with it. */
  readonly kept: Kept | null;
}

/** A dialog of its own. */
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
  | "table";

/** Which lists a node shows where there is room for one kind: those reclaim works on, or free pages. */
export type Face = "lru" | "free";

/** What the lower half of the debugger shows. */
export type SideTab = "step" | NonNullable<LinkView["tab"]>;

/** What the event log is narrowed to, by names. */
export type LogView = NonNullable<LinkView["log"]>;

/** A moment to find again. */
export type Bookmark = LinkBookmark;

/** What a node's page map is zoomed to; the whole node where there is none. */
export type MapZoom = LinkView["zoom"][string];

/** A stretch of virtual time: from, to, ns. */
export type Stretch = readonly [number, number];

/** One sentence about what just happened. */
export interface Notice {
  readonly text: string;
  /** What takes it back. */
  readonly undo: "undo" | "redo" | null;
}

/** How the window's height is shared out between the machine and the timeline. */
export interface Layout {
  /** The height a person gave the timeline, px; null: the window decides. */
  readonly chosen_px: number | null;
  /** Height of the open timeline, px; null until the stage has been measured. */
  readonly time_px: number | null;
  /** There is no room for more of the timeline than one line. */
  readonly isLine: boolean;
  /** For a projector: the code lies over the machine's right half. */
  readonly isCodeOpen: boolean;
}

/** A tab of the phone layout. */
export type Tab = "machine" | "code" | "tasks" | "lists";

/** What the run tells, as far as it was read. */
export interface Story {
  /** Oldest first; some may lie ahead. */
  readonly moments: readonly Moment[];
  /** What stands for a sentence while nothing is worth one. */
  readonly line: Line | null;
  /** What is shown just now. */
  readonly now: Moment | null;
  /** What is searched for, and how far that has come. */
  readonly search: { readonly words: string; readonly at: number } | null;
}

/** Nothing was read yet. */
export const NO_STORY: Story = { moments: [], line: null, now: null, search: null };

/** The page's memory. */
export interface WorkbenchState {
  readonly engine: EngineState;
  readonly trap: Trap | null;
  readonly session: Session | null;
  readonly refusal: OpenRefusal | null;
  /** Experiments that changes have replaced, the last one at the end. */
  readonly past: readonly Left[];
  /** Experiments that undoing has replaced, the last one at the end. */
  readonly future: readonly Left[];
  /** What just happened; replaced by the next one. */
  readonly notice: Notice | null;
  readonly paceIndex: number;
  readonly tempo: Tempo;
  readonly tempoIndex: number;
  readonly story: Story;
  /** What is run to. */
  readonly target: TargetId;
  readonly hovered: Key | null;
  readonly selected: readonly Key[];
  /** Zone shown in each node's free lists, by node id, where a person chose one. */
  readonly lists: Readonly<Record<string, string>>;
  /** Which lists the nodes show. */
  readonly face: Face;
  /** Pageblocks stand in the place of the LRU lists, where the machine has them. */
  readonly isOfBlocks: boolean;
  /** The CPUs stand in the place of the line of tasks. */
  readonly isOfCpus: boolean;
  /** The processes by node stand in the place of the line of tasks, where threads run on several nodes. */
  readonly isOfProcesses: boolean;
  /** The timeline is one line, or open; null until a person chose: then the window decides. */
  readonly isFolded: boolean | null;
  readonly followed: number | null;
  readonly dialog: DialogName | null;
  /** The event log is open, beside the stage. */
  readonly isLogOpen: boolean;
  readonly logView: LogView;
  /** Moments to find again, by step. */
  readonly bookmarks: readonly Bookmark[];
  /** What a person calls this moment, and says of it; a link carries both. */
  readonly title: string;
  readonly note: string;
  /** Title and note stand on the page, beside the machine. */
  readonly isCaptionOpen: boolean;
  /** Counters drawn over time, by name. */
  readonly tracks: readonly string[];
  /** The stretch of the timeline whose totals are shown. */
  readonly range: Stretch | null;
  /** The stretch the timeline shows; none: all that is known. */
  readonly window: Stretch | null;
  /** What each node's page map is zoomed to, by node id. */
  readonly zoom: Readonly<Record<string, MapZoom>>;
  readonly layout: Layout;
  readonly tab: Tab;
  readonly sideTab: SideTab;
  readonly breakpoints: readonly Breakpoint[];
  /** The breakpoint a search or play has just stopped at, by its id. */
  readonly hit: string | null;
  readonly draft: Stored;
  /** What the live region says. */
  readonly said: string;
  /** The packed link of the present moment, once it is known. */
  readonly packed: string | null;
  /** Where scrubbing is headed, ns, until the engine has arrived. */
  readonly scrub_ns: number | null;
  /** The long way the engine is on. */
  readonly way: Way | null;
}

/** What the engine is doing, as far as the page knows. */
export const modeOf = ({ way, session }: WorkbenchState): Mode["kind"] | "none" =>
  way ? "seeking" : (session?.frame?.mode.kind ?? "none");

/** Is the timeline one line? As a person wants it, else as the window allows. */
export const isTimeLine = ({ isFolded, layout }: WorkbenchState): boolean =>
  isFolded ?? layout.isLine;

/** The moment the clock shows: where scrubbing leads, how far a run has come, or what is drawn. */
export const momentOf = ({ way, session, scrub_ns }: WorkbenchState): number =>
  scrub_ns ?? way?.at.time_ns ?? session?.frame?.view.position.time_ns ?? 0;

/** What names of breakpoints and values are looked up in, once a machine has been seen. */
export function knownOf({
  engine,
  session,
}: Pick<WorkbenchState, "engine" | "session">): Known | null {
  if (engine.kind !== "ready" || !session?.frame) return null;
  return { catalog: engine.catalog, info: session.info, view: session.frame.view };
}

/** What a page remembers, for whoever reads it. */
export type ReadableStore = Omit<StoreApi<WorkbenchState>, "setState">;

/** The store of one page; only this folder has it. */
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
    ...NOTHING_KEPT,
    isCaptionOpen: false,
    hovered: null,
    dialog: null,
    layout: { chosen_px: null, time_px: null, isLine: false, isCodeOpen: false },
    tab: "machine",
    hit: null,
    draft: "kept",
    said: "",
    packed: null,
    scrub_ns: null,
    way: null,
  }));
