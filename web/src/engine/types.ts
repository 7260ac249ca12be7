// The engine's data types, generated from its Rust types. The rest of the page imports them here,
// so that only this folder knows the generated package.

import type * as recorded from "./pkg/mmscope";
import type { FieldKind as EngineFieldKind } from "./pkg/records";
import type { Value } from "./record";

/** The engine's view of a moment, before its records are put into words. */
export type Recorded = recorded.View;

/** The kind of a field: one of the engine's, or a text that a trace printed. */
export type FieldKind = EngineFieldKind | "text";

/** A kind of record: one of the catalog's, or one that only a trace has. */
export type RecordKind = Omit<recorded.RecordKind, "fields"> & {
  readonly fields: readonly { readonly name: string; readonly kind: FieldKind }[];
};

/** A field of a record. */
export interface LogField {
  readonly name: string;
  readonly kind: FieldKind;
  /** The recorded value. */
  readonly value: Value;
  /** The value as readable text. */
  readonly text: string;
}

/** One event, or one decision. */
export interface LogEntry {
  /** The step right after the record was made. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly pid: number;
  readonly cpu: number;
  /** The function in which it was made; null if no kernel function made it. */
  readonly fn: string | null;
  /** Its kind, by index in the catalog. */
  readonly kind: number;
  /** The name of the kernel's tracepoint or of the engine's record; decisions have the engine's. */
  readonly name: string;
  readonly isDecision: boolean;
  readonly isTracepoint: boolean;
  /** What the event reports. `source` is its location in the kernel, or "Engine". */
  readonly about: string;
  readonly source: string;
  /** Key of the zone that it concerns: "0/DMA32". */
  readonly zone: string | null;
  /** The page frame that it concerns. */
  readonly pfn: number | null;
  readonly fields: readonly LogField[];
  /** The decision and its reason, with the numbers; null for an event. */
  readonly sentence: readonly recorded.Span[] | null;
}

/** A comparison of a zone's free pages with one of its watermarks; quantities in pages. */
export interface Compare {
  readonly label: string;
  readonly value: number;
  readonly against_label: string;
  readonly against: number;
  /** The zone's watermarks, each with the reserve that counts here. */
  readonly marks: readonly (readonly [string, number])[];
  readonly passed: boolean;
}

/** The reason why the last step took its branch. */
export interface Why extends LogEntry {
  readonly sentence: readonly recorded.Span[];
  /** The comparison on which it is based, if it was a comparison with a watermark. */
  readonly compare: Compare | null;
}

/** All data about one moment of a machine except the large arrays. */
export type View = Omit<Recorded, "why" | "events" | "placing"> & {
  /** The reason why the last step took its branch; null if it made no decision. */
  readonly why: Why | null;
  /** The events of the last step. */
  readonly events: readonly LogEntry[];
  /** Decisions of the last step about where a task should run, for the sake of its memory. */
  readonly placing: readonly LogEntry[];
};

export type {
  BatchView,
  Catalog,
  Choice,
  CompactRunView,
  CpuView,
  DeviceView,
  EndedView,
  Fidelity,
  FunctionInfo,
  GateView,
  GenerationsView,
  GenerationView,
  GroupEventsView,
  GroupView,
  HeldBy,
  Info,
  Local,
  LruView,
  Mechanism,
  NodeInfo,
  NodeView,
  Opened,
  PageblocksView,
  Position,
  QueueKind,
  QueueView,
  Refusal,
  RestsOn,
  RoundsView,
  Route,
  Span,
  Stop,
  TaskView,
  TunableView,
  WaiterView,
  WritebackView,
  ZoneView,
} from "./pkg/mmscope";
