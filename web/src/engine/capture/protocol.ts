// The messages between the page and the worker that holds the files of one machine. The page starts
// another worker for another machine, so that a fault there does not affect the open machine.

import type { LogAct, LogAnswer } from "../log";
import type { MomentValues } from "./moments";
import type { Machine, OpenedFile, ReadProgress } from "./open";

/** A question about the open machine. */
export type CaptureQuestion =
  | { readonly kind: "log"; readonly act: LogAct }
  | { readonly kind: "at"; readonly place: Parameters<MomentsAt>[0] };

type MomentsAt = (place: { readonly time_ns: number } | { readonly step: number }) => MomentValues;

/** The answer to a {@link CaptureQuestion} of the same kind. */
export type CaptureAnswer = LogAnswer | { readonly kind: "at"; readonly values: MomentValues };

/** Messages to the worker. */
export type CaptureRequest =
  | { readonly kind: "open"; readonly files: readonly OpenedFile[] }
  /** Shows another trace of the files. */
  | { readonly kind: "trace"; readonly name: string }
  | { readonly kind: "ask"; readonly id: number; readonly question: CaptureQuestion };

/** Messages from the worker. */
export type CaptureEvent =
  | { readonly kind: "progress"; readonly progress: ReadProgress }
  | { readonly kind: "opened"; readonly machine: Machine }
  | { readonly kind: "answer"; readonly id: number; readonly answer: CaptureAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  /** The files could not be opened, or the worker's instance broke. */
  | { readonly kind: "broke"; readonly message: string };
