// The closed protocol between the page and the worker that runs the engine. Both sides switch over
// these unions exhaustively, so the code does not compile until both handle a new kind.

import type { LogAnswer, LogQuestion } from "./log";
import type { PaidAnswer, PaidQuestion } from "./paid";
import type { BackHow, Comparison, StepHow, WatchKind } from "./pkg/mmscope";
import type { RunReport } from "./report";
import type { Catalog, Info, Position, Refusal, RestsOn, View } from "./types";

/** Memory for checkpoints, MiB; most phones have this much to spare. */
export const CHECKPOINT_MIB = 256;

/** The first message to a worker: how much memory its checkpoints may take. */
export interface BudgetMessage {
  readonly kind: "budget";
  readonly mib: number;
}

/** How fast virtual time plays: program points a second, or virtual ns per real second. */
export type Pace =
  | { readonly kind: "steps"; readonly steps_per_s: number }
  | { readonly kind: "time"; readonly ns_per_s: number };

/**
 * A condition to stop at or to search for; `a` and `b` give details, see the engine's `WatchKind`.
 */
export interface Watched {
  readonly kind: WatchKind;
  readonly a: number;
  readonly b: number;
}

/** The comparisons of a condition, in the order in which the page offers them. */
export const COMPARISONS = ["=", "≠", "<", "≥"] as const satisfies readonly Comparison[];

/** Restricts a breakpoint to records whose field satisfies a comparison. */
export interface Condition {
  readonly field: string;
  readonly is: Comparison;
  /** A word or a number, as the user typed it. */
  readonly with: string;
}

/** A breakpoint as sent to the worker. */
export interface StopPoint {
  readonly id: string;
  readonly watched: Watched;
  readonly condition: Condition | null;
}

/** The target of a search, and whether it was found. */
export interface Found {
  readonly what: "next" | "previous" | "change";
  /** The breakpoint that was hit, or "" for a change; null if nothing was found. */
  readonly id: string | null;
}

// The engine names the kinds of steps, of steps back, and of comparisons.
export type { BackHow, Comparison, StepHow };

/** Where a newly opened experiment starts. */
export type Goal =
  | { readonly kind: "start" }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "time"; readonly time_ns: number }
  /** The first failed watermark check of a zone, which is the most instructive moment. */
  | { readonly kind: "first-refusal" };

/** A file that the engine prints: from /proc, or from `extfrag` in debugfs. */
export const PROC_FILES = [
  "zoneinfo",
  "buddyinfo",
  "pagetypeinfo",
  "vmstat",
  "unusable_index",
  "extfrag_index",
  "lru_gen",
  "lru_gen_full",
  "lru_gen/enabled",
  "lru_gen/min_ttl_ms",
] as const;
/** One of {@link PROC_FILES}. */
export type ProcFile = (typeof PROC_FILES)[number];

/** A file of a memory cgroup. */
export const GROUP_FILES = [
  "memory.current",
  "memory.stat",
  "memory.events",
  "memory.pressure",
  "memory.swap.current",
  "memory.swap.events",
] as const;
/** One of {@link GROUP_FILES}. */
export type GroupFile = (typeof GROUP_FILES)[number];

/** The result of a run up to a position, and what the result depends on. */
export interface Evidence {
  readonly position: Position;
  readonly hash: string;
  /** The reason of the kernel's panic, if there was one. */
  readonly panic: string | null;
  readonly counters: readonly (readonly [name: string, value: number])[];
  readonly report: RunReport;
  readonly restsOn: RestsOn;
}

/** A question with exactly one answer. */
export type Question =
  | { readonly kind: "hash" }
  /** The result of the run up to the machine's position, and what the result depends on. */
  | { readonly kind: "evidence" }
  /** The memory size of the checkpoints. */
  | { readonly kind: "memory" }
  | { readonly kind: "procfs"; readonly file: ProcFile }
  /** A file of a memory cgroup; the cgroup by its number in the view. */
  | { readonly kind: "group-file"; readonly group: number; readonly file: GroupFile }
  /** A zone's free blocks over the run; the zone by its index in the view. */
  | { readonly kind: "free-blocks"; readonly zone: number }
  /** How local the memory of each process is to its threads, over the run. */
  | { readonly kind: "nearness" }
  | { readonly kind: "import"; readonly text: string; readonly options_json: string }
  /** Files of a real machine as `[{ name, text }]`; see the engine's `explain_machine`. */
  | { readonly kind: "explain"; readonly files_json: string }
  /** Events as a kernel trace file; see the engine's `print_ftrace`. */
  | { readonly kind: "ftrace"; readonly kernel: string; readonly events_json: string }
  | LogQuestion
  | PaidQuestion;

/** Messages from the page to the worker. */
export type EngineRequest =
  | { readonly kind: "open"; readonly json: string; readonly goal: Goal }
  | { readonly kind: "step"; readonly how: StepHow; readonly followed: number | null }
  | { readonly kind: "back"; readonly how: BackHow; readonly followed: number | null }
  | { readonly kind: "go"; readonly goal: Goal }
  | { readonly kind: "play"; readonly pace: Pace }
  | { readonly kind: "end" }
  /** Runs to a step at full speed, shows it, and waits there for the next target. */
  | { readonly kind: "advance"; readonly step: number; readonly cause: "played" | "told" }
  /** The same to a time: two machines that play in lock-step share their targets. */
  | { readonly kind: "advance-time"; readonly time_ns: number }
  /** The breakpoints at which playback and searches stop. */
  | { readonly kind: "breakpoints"; readonly points: readonly StopPoint[] }
  | { readonly kind: "find"; readonly what: "next" | "previous" }
  /** Goes back to the last step, up to `until`, that changed a value. */
  | { readonly kind: "last-change"; readonly watched: Watched; readonly until: number }
  | { readonly kind: "pause" }
  | { readonly kind: "follow"; readonly task: number | null }
  /** The number of page frames in a cell of a large machine's map. */
  | { readonly kind: "cells"; readonly span: number }
  /**
   * The counters that the timeline shows besides free pages: two numbers each, see {@link Watched}.
   */
  | { readonly kind: "tracks"; readonly pairs: readonly number[] }
  /**
   * Requests for details of nodes, in addition to the maps of all nodes; replaces the previous
   * list.
   */
  | { readonly kind: "zoom"; readonly zooms: readonly ZoomRequest[] }
  /** The page has painted the last frame; the worker may send the next. */
  | { readonly kind: "painted" }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question };

/** A long run at full speed, and its progress. */
export interface LongRun {
  readonly from: Position;
  readonly at: Position;
  /** The target: a step or a time; both null for a call whose target is not known yet. */
  readonly goal_step: number | null;
  readonly goal_ns: number | null;
  /** The target is the end of the run. */
  readonly toEnd: boolean;
  /** Steps a second so far. */
  readonly steps_per_s: number;
}

/** Pings the worker. The worker itself answers, whatever the engine is doing. */
export interface SignRequest {
  readonly kind: "sign";
}

/** The activity of the engine; during a seek the page shows the old frame. */
export type Mode = { readonly kind: "paused" | "playing" | "seeking" };

/** Why a frame was sent. Manual steps and moments of the story may animate marks; others jump. */
export type Cause =
  | "opened"
  | "stepped"
  | "back"
  | "sought"
  | "found"
  | "played"
  /** A moment of the story, shown during playback. */
  | "told"
  | "paused"
  | "view";

/** A node's page frames: each frame of a small machine, or the shares in each cell of a large
 * one. */
export type NodeMap =
  | { readonly kind: "frames"; readonly states: Uint8Array; readonly orders: Uint8Array }
  | { readonly kind: "cells"; readonly span: number; readonly shares: Uint16Array };

/** A request for details of one node, in addition to its map. */
export interface ZoomRequest {
  /** Node id. */
  readonly node: number;
  /** The purpose: a name that the page chooses and that the answer repeats. */
  readonly level: "zone" | "block";
  /** First page frame number, number of words, and number of frames from one word to the next. */
  readonly first_pfn: number;
  readonly count: number;
  readonly stride: number;
  /** Frames of a cell, to get the shares of the whole node; null if the map already has them. */
  readonly span: number | null;
}

/** The answer to a {@link ZoomRequest} at one moment. */
export interface Zoomed extends ZoomRequest {
  /** See the engine's `page_words`. */
  readonly words: Uint32Array;
  readonly shares: Uint16Array | null;
  /** Free blocks of each pageblock by order, see the engine's `free_runs`; only for a zone. */
  readonly runs: Uint16Array | null;
}

/** All data that the page draws at one moment. */
export interface Frame {
  readonly view: View;
  /** One for each of `Info.nodes`, in that order. */
  readonly maps: readonly NodeMap[];
  /** The requested details of nodes. */
  readonly zoomed: readonly Zoomed[];
  /** The pages of the LRU lists, tail first, see the engine's `lru_pages`; for a large machine only
   * those at the tails. */
  readonly lru: Uint32Array;
  /** The pages of each generation, see the engine's `generation_pages`; empty without the
   * multi-generational LRU, and for a large machine only those that are evicted first. */
  readonly generations: Uint32Array;
  /** Moments of the run so far, see `draw/series`; null if the rows need not be sent again. */
  readonly timeline: Float64Array | null;
  /** The furthest point reached in this run. */
  readonly furthest: Position;
  readonly mode: Mode;
  readonly cause: Cause;
  /** The result of the search that led here, if one did. */
  readonly found: Found | null;
}

/** An answer to a {@link Question}, of the same kind, or the reason for having none. */
export type Answer =
  | { readonly kind: "hash"; readonly hash: string; readonly position: Position }
  | ({ readonly kind: "evidence" } & Evidence)
  /** Size of the checkpoints. */
  | { readonly kind: "memory"; readonly checkpoint_bytes: number }
  | { readonly kind: "procfs"; readonly text: string }
  | { readonly kind: "group-file"; readonly text: string }
  /** Rows from the engine's `free_blocks`, at the timeline's moments. */
  | { readonly kind: "free-blocks"; readonly rows: Float64Array }
  /** Rows from the engine's `nearness`, at the timeline's moments. */
  | { readonly kind: "nearness"; readonly rows: Float64Array }
  | { readonly kind: "import"; readonly json: string }
  | { readonly kind: "explain"; readonly json: string }
  | { readonly kind: "ftrace"; readonly text: string }
  | LogAnswer
  | PaidAnswer
  /** The part that would answer broke or did not start. */
  | { readonly kind: "failed"; readonly message: string };

/** Messages from the worker to the page. */
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
  /** The reader broke or did not start. */
  | { readonly kind: "unread"; readonly message: string }
  | { readonly kind: "frame"; readonly frame: Frame }
  /** A long run continues; the timeline is included from time to time. */
  | {
      readonly kind: "progress";
      readonly longRun: LongRun;
      readonly timeline: Float64Array | null;
    }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** The worker holds this lock for as long as it lives; see `life.ts`. */
  | { readonly kind: "lives"; readonly lock: string }
  /** An answer to a {@link SignRequest}. */
  | { readonly kind: "sign" }
  /** The worker has ended without a message. */
  | { readonly kind: "ended" }
  /** The worker has not answered for very long; or it answers again because it was only busy. */
  | { readonly kind: "silent" }
  | { readonly kind: "back" }
  /** The engine broke one of its invariants and cannot be used any more. */
  | { readonly kind: "trapped"; readonly message: string; readonly position: Position | null }
  /** The engine could not be started at all. */
  | { readonly kind: "unavailable"; readonly message: string };

/** Fails to compile when a switch does not handle each kind of a union. */
export function unreachable(value: never): never {
  throw new Error(`unknown kind: ${JSON.stringify(value)}`);
}
