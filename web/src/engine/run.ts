// The data that every run provides to the timeline, the event log and the explanations, whether the
// engine computes the run or it was read from a kernel trace. Its records and its moments come from
// a reader (`AskLog`).

import type { Named } from "./sentence";
import type { DeviceView, Info, LruView, NodeView, Position, TaskView, ZoneView } from "./types";

/** Data that is constant during a run. */
export type RunInfo = Named &
  Pick<Info, "experiment" | "workload" | "kernel" | "title" | "length_ns" | "zone_types">;

/** A zone with its free pages and its watermarks. */
export type RunZone = Pick<ZoneView, "key" | "managed" | "free" | "low">;

/** A task that has a lane. */
export type RunTask = Pick<TaskView, "id" | "name" | "pid" | "kernel_thread" | "function">;

/** A moment of a run. */
export interface RunView {
  readonly position: Pick<Position, "step" | "time_ns">;
  readonly zones: readonly RunZone[];
  readonly tasks: readonly RunTask[];
  /** Values of counters, by name. */
  readonly counters: readonly (readonly [string, number])[];
  /** Owners of LRU lists. */
  readonly lru: readonly Pick<LruView, "key">[];
  readonly devices: readonly Pick<DeviceView, "model">[];
  readonly nodes: readonly Pick<NodeView, "id" | "first_fallback">[];
}

/** A moment of a run, and how far the run is known. */
interface RunFrame {
  readonly view: RunView;
  readonly furthest: {
    readonly time_ns: number;
    /** Whether the run is known up to its end. */
    readonly ended: boolean;
  };
  readonly mode: { readonly kind: string };
}

/** A counter of a run that has its own set of counters. */
export interface RunCounter {
  readonly name: string;
  /** The two numbers that identify it to the run's reader. */
  readonly pair: readonly [number, number];
}

/** A run of the engine, or one that was read from a trace or a capture. */
export interface Run {
  readonly info: RunInfo;
  /** Canonical JSON of the experiment that makes this run; null if no experiment does. */
  readonly experiment: string | null;
  readonly frame: RunFrame | null;
  /** Moments of the run, see `draw/series`. */
  readonly timeline: Float64Array;
  /** The run's own counters; absent if it has the counters of the engine's catalog. */
  readonly counters?: readonly RunCounter[];
}

/** Whether the engine can replay a run: go to any step, search, change it. */
export const canReplay = ({ experiment }: Pick<Run, "experiment">): boolean => experiment !== null;
