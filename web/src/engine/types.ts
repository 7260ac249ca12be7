// The engine's data types, generated from its Rust types. The rest of the page imports them here,
// so that only this folder knows the generated package.

import type * as recorded from "./pkg/mmscope";
import type { FieldKind } from "./pkg/records";
import type { Value } from "./record";

/** What the engine says of a moment, before its records are in words. */
export type Recorded = recorded.View;

/** A field of a record. */
export interface ToldField {
  readonly name: string;
  readonly kind: FieldKind;
  /** As it was recorded. */
  readonly value: Value;
  /** As a person reads it. */
  readonly text: string;
}

/** One event, or one decision. */
export interface Told {
  /** Where a person stands right after it. */
  readonly step: number;
  readonly time_ns: number;
  readonly task: number;
  readonly taskName: string;
  readonly pid: number;
  readonly cpu: number;
  /** The function it was made in; none where no function of the kernel did. */
  readonly fn: string | null;
  /** Its place among the kinds of records. */
  readonly kind: number;
  /** The kernel's tracepoint name, or an engine name; a decision has the engine's. */
  readonly name: string;
  readonly isDecision: boolean;
  readonly isTracepoint: boolean;
  /** What it tells, and where the kernel has it; ours has "Engine". */
  readonly about: string;
  readonly source: string;
  /** Key of the zone it is about: "0/DMA32". */
  readonly zone: string | null;
  /** The page frame it is about. */
  readonly pfn: number | null;
  readonly fields: readonly ToldField[];
  /** What a decision was and why, with its numbers; none where it is an event. */
  readonly sentence: readonly recorded.Span[] | null;
}

/** A comparison of a zone's free pages with one of its marks; quantities in pages. */
export interface Compare {
  readonly label: string;
  readonly value: number;
  readonly against_label: string;
  readonly against: number;
  /** The zone's marks, with what is kept back here. */
  readonly marks: readonly (readonly [string, number])[];
  readonly passed: boolean;
}

/** Why the last step went the way it went. */
export interface Why extends Told {
  readonly sentence: readonly recorded.Span[];
  /** The comparison it was made by, where it was one with a mark. */
  readonly compare: Compare | null;
}

/** Everything small about one moment of a machine. */
export type View = Omit<Recorded, "why" | "events" | "placing"> & {
  /** Why the last step went as it did; none where it decided nothing. */
  readonly why: Why | null;
  /** What the last step emitted. */
  readonly events: readonly Told[];
  /** What the last step decided about where a task should run, for its memory. */
  readonly placing: readonly Told[];
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
  RecordKind,
  Refusal,
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
export type { FieldKind };
