// The engine's answers about a real machine: the contents of a trace, the contents of a capture,
// and the explanation of a report. They are passed as JSON texts.

import type { FieldKind } from "../types";

/** An error in a text: its location and the reason. */
export interface TextRefusal {
  readonly file: string;
  readonly line: number | null;
  readonly reason: string;
}

/** A kind of event in a trace. */
interface TraceKind {
  /**
   * Its number in rows; for numbers from the length of the catalog on, the engine has no such
   * event.
   */
  readonly number: number;
  readonly name: string;
  readonly engine: boolean;
  readonly count: number;
  readonly fields: readonly { readonly name: string; readonly kind: FieldKind }[];
}

/** The contents of a trace. */
export interface TraceInfo {
  /** The kernels that print traces of this format, and the evidence. */
  readonly dialect: {
    readonly name: string;
    readonly oldest: string;
    readonly newest: string;
    readonly source: string;
    readonly why: readonly string[];
  } | null;
  readonly events: number;
  /** Fewer than `events` if a limit was reached; `message` says which. */
  readonly stored: number;
  readonly message: string | null;
  readonly lines: number;
  readonly lost: number;
  /** The original clock of the first event, in seconds. */
  readonly clock: string | null;
  readonly to_ns: number;
  readonly cpus: readonly number[];
  readonly kinds: readonly TraceKind[];
  readonly unknown: readonly { readonly name: string; readonly count: number }[];
  readonly tasks: readonly { readonly id: number; readonly pid: number; readonly comm: string }[];
  readonly zones: readonly { readonly id: number; readonly node: number; readonly name: string }[];
  readonly texts: readonly string[];
  readonly refusals: readonly { readonly line: number; readonly reason: string }[];
  /** The number of rejected lines; at most a hundred are in `refusals`. */
  readonly refused: number;
}

/** A zone of a captured machine; numbers in pages. */
interface CaptureZone {
  readonly node: number;
  readonly zone: string;
  readonly managed: number;
  readonly min: number;
  readonly low: number;
  readonly high: number;
  readonly free: number;
}

/** An experiment that repeats a capture. */
export interface Twin {
  readonly experiment: string;
  readonly assumed: readonly string[];
  /** The virtual time that corresponds to the moment before the workload, ms. */
  readonly before_ms: number;
  /** The virtual time at which the workload begins, ms. */
  readonly start_ms: number;
}

/** A capture of a machine. */
export interface Capture {
  readonly name: string;
  readonly kind: "run";
  readonly release: string;
  readonly kernel: string | null;
  readonly arch: string;
  readonly page_kib: number;
  readonly workload: string;
  readonly machine: {
    readonly zones: readonly CaptureZone[];
    /** The multi-generational LRU was on. */
    readonly lru_gen: boolean;
  };
  readonly lacks: readonly string[];
  readonly notes: readonly string[];
  /** Counters of /proc/vmstat before and after the workload. */
  readonly counters: readonly {
    readonly name: string;
    readonly before: number;
    readonly after: number;
  }[];
  /** Samples; the first column is the guest's time in seconds. */
  readonly samples: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly number[])[];
  } | null;
  /** When the workload ran, in the guest's seconds. */
  readonly workload_s: readonly [number, number] | null;
  readonly twin: Twin | { readonly refused: readonly TextRefusal[] };
}

/**
 * A machine at rest, without a run: the values that its kernel computed, and the values that the
 * engine computes.
 */
export interface StaticCapture {
  readonly kind: "static";
  readonly name: string;
  readonly release: string;
  readonly kernel: string | null;
  readonly caveats: readonly string[];
  readonly zones: readonly {
    readonly node: number;
    readonly zone: string;
    readonly managed: number;
    readonly marks: readonly number[];
    readonly computed: readonly number[];
    readonly differ: readonly string[];
  }[];
  readonly phases: readonly {
    readonly name: string;
    readonly zones: number;
    readonly differ: readonly string[];
  }[];
}

/** Repeated values of counters. */
export interface CounterSeries {
  readonly kind: "vmstat" | "zoneinfo";
  readonly columns: readonly string[];
  /** Each row begins with its time, or with its ordinal. */
  readonly rows: readonly (readonly number[])[];
  /** The rows begin with times in seconds. */
  readonly timed: boolean;
}

/** The engine's reader of traces. */
export interface TraceSource {
  feed(chunk: Uint8Array): void;
  finish(): string;
  rows(from: number, to: number, filter?: string): Float64Array;
  samples(names: string, buckets: number): Float64Array;
  free(): void;
}

/** The engine's functions that read texts of a machine. */
export interface CaptureCalls {
  readonly newTrace: () => TraceSource;
  readonly read_capture: (files: string) => string;
  readonly explain_machine: (files: string) => string;
  readonly read_series: (text: string) => string;
}
