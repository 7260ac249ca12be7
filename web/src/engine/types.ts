// The engine's data types, generated from its Rust types. The rest of the page imports them here,
// so that only this folder knows the generated package.

import type * as recorded from "./pkg/mmscope";

/** Why the last step went the way it went. */
export type Why = Omit<recorded.Why, "decision"> & {
  /** The engine's name of the decision. */
  readonly decision: string;
  /** What it says, at most 30 words. */
  readonly sentence: recorded.Span[];
};

/** Everything small about one moment of a machine. */
export type View = Omit<recorded.View, "why"> & { readonly why: Why | null };

export type {
  BatchView,
  Catalog,
  Choice,
  Compare,
  CounterKind,
  DecisionKind,
  DeviceView,
  EventField,
  EventKind,
  EventView,
  Fidelity,
  FrameView,
  FunctionInfo,
  Info,
  Local,
  LruView,
  Mechanism,
  NodeInfo,
  NodeView,
  Opened,
  PageState,
  Position,
  ReclaimerView,
  Refusal,
  Route,
  Span,
  Stop,
  StopState,
  TaskView,
  TunableView,
  WritebackView,
  ZoneView,
} from "./pkg/mmscope";
