// The closed protocol between the page and the worker that runs the engine. Both sides switch over
// these unions exhaustively, so a new kind does not compile until both know it.

import type { LogAnswer, LogQuestion } from "./log";
import type { BackHow, Comparison, StepHow, WatchKind } from "./pkg/mmscope";
import type { Catalog, Info, Position, Refusal, View } from "./types";

/** Memory for going back, MiB: what most phones can spare as well. */
export const CHECKPOINT_MIB = 256;

/** How fast virtual time plays: program points a second, or virtual ns per real second. */
export type Pace =
  | { readonly kind: "steps"; readonly steps_per_s: number }
  | { readonly kind: "time"; readonly ns_per_s: number };

/** What the engine can wait for, or look at; `a` and `b` say which, see the engine's `WatchKind`. */
export interface Watched {
  readonly kind: WatchKind;
  readonly a: number;
  readonly b: number;
}

/** How a condition compares, in the order they are offered. */
export const COMPARISONS = ["=", "≠", "<", "≥"] as const satisfies readonly Comparison[];

/** Only where a field compares so. */
export interface Condition {
  readonly field: string;
  readonly is: Comparison;
  /** A word or a number, as a person wrote it. */
  readonly with: string;
}

/** A breakpoint as the worker is told of it. */
export interface StopPoint {
  readonly id: string;
  readonly watched: Watched;
  readonly condition: Condition | null;
}

/** What was searched for and whether it was found. */
export interface Found {
  readonly what: "next" | "previous" | "change";
  /** The breakpoint that was hit, or "" for a change; none when nothing was found. */
  readonly id: string | null;
}

// What a step and a step back are asked for with, and how a condition compares, are the engine's words.
export type { BackHow, Comparison, StepHow };

/** Where a freshly opened experiment stands. */
export type Goal =
  | { readonly kind: "start" }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "time"; readonly time_ns: number }
  /** The first refusal of a zone at one of its marks: the moment most worth explaining. */
  | { readonly kind: "first-refusal" };

/** A file the engine prints: of /proc, and of `extfrag` in debugfs. */
export const PROC_FILES = [
  "zoneinfo",
  "buddyinfo",
  "pagetypeinfo",
  "vmstat",
  "unusable_index",
  "extfrag_index",
] as const;
/** One of {@link PROC_FILES}. */
export type ProcFile = (typeof PROC_FILES)[number];

/** A question with exactly one answer. */
export type Question =
  | { readonly kind: "hash" }
  /** How much memory going back takes. */
  | { readonly kind: "memory" }
  | { readonly kind: "procfs"; readonly file: ProcFile }
  /** A zone's free blocks over the run; the zone by its place in the view. */
  | { readonly kind: "free-blocks"; readonly zone: number }
  /** How near memory and threads of each process are over the run. */
  | { readonly kind: "nearness" }
  | { readonly kind: "import"; readonly text: string; readonly options_json: string }
  /** Events as a kernel's trace file; see the engine's `print_ftrace`. */
  | { readonly kind: "ftrace"; readonly kernel: string; readonly events_json: string }
  | LogQuestion;

/** What the page asks of the worker. */
export type EngineRequest =
  | { readonly kind: "open"; readonly json: string; readonly goal: Goal }
  | { readonly kind: "step"; readonly how: StepHow; readonly followed: number | null }
  | { readonly kind: "back"; readonly how: BackHow; readonly followed: number | null }
  | { readonly kind: "go"; readonly goal: Goal }
  | { readonly kind: "play"; readonly pace: Pace }
  | { readonly kind: "end" }
  /** Plays to a step at full speed, shows it, and waits there for where to go next. */
  | { readonly kind: "advance"; readonly step: number; readonly cause: "played" | "told" }
  /** What play and searches stop at. */
  | { readonly kind: "breakpoints"; readonly points: readonly StopPoint[] }
  | { readonly kind: "find"; readonly what: "next" | "previous" }
  /** Back to the last step, up to `until`, that changed a value. */
  | { readonly kind: "last-change"; readonly watched: Watched; readonly until: number }
  | { readonly kind: "pause" }
  | { readonly kind: "follow"; readonly task: number | null }
  /** How many frames a cell of a big machine's map has. */
  | { readonly kind: "cells"; readonly span: number }
  /** Which counters the timeline has beside free pages: each two numbers, see {@link Watched}. */
  | { readonly kind: "tracks"; readonly pairs: readonly number[] }
  /** What is shown of nodes beside all of them at once; replaces what was. */
  | { readonly kind: "zoom"; readonly looks: readonly ZoomLook[] }
  /** The last frame has been painted: the next may come. */
  | { readonly kind: "painted" }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question };

/** A long way through the run at full speed, and how far it has come. */
export interface Way {
  readonly from: Position;
  readonly at: Position;
  /** Where it leads: a step or a time; neither for a call whose place is not known yet. */
  readonly goal_step: number | null;
  readonly goal_ns: number | null;
  /** It leads to the end of the run. */
  readonly toEnd: boolean;
  /** Steps a second so far. */
  readonly steps_per_s: number;
}

/** Asks the worker for a sign of life. It answers itself, whatever the engine is doing. */
export interface SignRequest {
  readonly kind: "sign";
}

/** What the engine is doing; while seeking the old picture stays until it arrives. */
export type Mode = { readonly kind: "paused" | "playing" | "seeking" };

/** Why a frame was sent; manual steps and told moments may move marks softly, the rest jumps. */
export type Cause =
  | "opened"
  | "stepped"
  | "back"
  | "sought"
  | "found"
  | "played"
  /** A moment of the story, shown while playing. */
  | "told"
  | "paused"
  | "view";

/** A node's page frames: every frame of a small machine, or shares of a big one's cells. */
export type NodeMap =
  | { readonly kind: "frames"; readonly states: Uint8Array; readonly orders: Uint8Array }
  | { readonly kind: "cells"; readonly span: number; readonly shares: Uint16Array };

/** What the page wants to know of one node beside its map. */
export interface ZoomLook {
  /** Node id. */
  readonly node: number;
  /** What for: the page's own word, given back with the answer. */
  readonly level: "zone" | "block";
  /** First page frame number, how many words, and how many frames from one to the next. */
  readonly first_pfn: number;
  readonly count: number;
  readonly stride: number;
  /** Frames of a cell whose shares are wanted, of all the node; none where the map has them. */
  readonly span: number | null;
}

/** A {@link ZoomLook} of one moment. */
export interface Zoomed extends ZoomLook {
  /** See the engine's `page_words`. */
  readonly words: Uint32Array;
  readonly shares: Uint16Array | null;
  /** Free blocks of every pageblock by order, see the engine's `free_runs`; of a zone only. */
  readonly runs: Uint16Array | null;
}

/** Everything the page draws of one moment. */
export interface Frame {
  readonly view: View;
  /** One for each of `Info.nodes`, in that order. */
  readonly maps: readonly NodeMap[];
  /** What was looked at closer. */
  readonly zoomed: readonly Zoomed[];
  /** The pages of the LRU lists, tail first, see the engine's `lru_pages`; of a big machine only
   * those at the tails. */
  readonly lru: Uint32Array;
  /** Moments of the run so far, see `draw/series`; absent when it is not worth sending. */
  readonly timeline: Float64Array | null;
  /** The furthest point reached in this run. */
  readonly furthest: Position;
  readonly mode: Mode;
  readonly cause: Cause;
  /** What a search led to, when one led here. */
  readonly found: Found | null;
}

/** An answer to a {@link Question}, of the same kind, or why there is none. */
export type Answer =
  | { readonly kind: "hash"; readonly hash: string; readonly position: Position }
  /** Bytes of the checkpoints. */
  | { readonly kind: "memory"; readonly checkpoint_bytes: number }
  | { readonly kind: "procfs"; readonly text: string }
  /** Rows as the engine's `free_blocks` gives them, at the timeline's moments. */
  | { readonly kind: "free-blocks"; readonly rows: Float64Array }
  /** Rows as the engine's `nearness` gives them, at the timeline's moments. */
  | { readonly kind: "nearness"; readonly rows: Float64Array }
  | { readonly kind: "import"; readonly json: string }
  | { readonly kind: "ftrace"; readonly text: string }
  | LogAnswer
  /** What would know broke, or did not start. */
  | { readonly kind: "failed"; readonly message: string };

/** What the worker tells the page. */
export type EngineEvent =
  | {
      readonly kind: "ready";
      readonly version: string;
      readonly catalog: Catalog;
      /** Ready-made experiments by id, as canonical JSON. */
      readonly presets: Readonly<Record<string, string>>;
    }
  | { readonly kind: "opened"; readonly info: Info; readonly canonical: string }
  | {
      readonly kind: "refused";
      readonly json: string;
      readonly refusals: readonly Refusal[];
      readonly nearest: string | null;
    }
  /** What reads it broke, or did not start. */
  | { readonly kind: "unread"; readonly message: string }
  | { readonly kind: "frame"; readonly frame: Frame }
  /** A way that takes long goes on; the timeline comes once in a while. */
  | {
      readonly kind: "progress";
      readonly way: Way;
      readonly timeline: Float64Array | null;
    }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** The worker holds this lock for as long as it lives; see `life.ts`. */
  | { readonly kind: "lives"; readonly lock: string }
  /** An answer to a {@link SignRequest}. */
  | { readonly kind: "sign" }
  /** The worker has ended without a word. */
  | { readonly kind: "ended" }
  /** The worker has not answered for very long; and, where it was only busy, answers again. */
  | { readonly kind: "silent" }
  | { readonly kind: "back" }
  /** The engine broke one of its own rules and can no longer be asked anything. */
  | { readonly kind: "trapped"; readonly message: string; readonly position: Position | null }
  /** The engine could not be started at all. */
  | { readonly kind: "unavailable"; readonly message: string };

/** Fails to compile when a union has a kind that a switch forgot. */
export function unreachable(value: never): never {
  throw new Error(`unknown kind: ${JSON.stringify(value)}`);
}
