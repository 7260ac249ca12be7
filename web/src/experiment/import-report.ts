// What importing a zoneinfo gives. The engine writes this as JSON text; here it gets its types.

import type { Refusal } from "../engine/types";
import type { Json } from "../link/difference";

/** Marks of a zone in pages. */
export interface Marks {
  readonly min: number;
  readonly low: number;
  readonly high: number;
  readonly protection: readonly number[];
}

/** One zone: what the dump says and what the engine computes for it. */
export interface ZoneCheck {
  readonly node: number;
  readonly zone: string;
  readonly dump: Marks;
  readonly computed: Marks;
  readonly differences: readonly {
    readonly what: string;
    readonly dump: number;
    readonly computed: number;
    readonly reason: string;
  }[];
}

/** A described machine and how it was read. */
export interface ImportReport {
  readonly kernel: string;
  /** What a reader must know before anything else, a sentence each. */
  readonly caveats: readonly string[];
  /** Why the machine cannot be run; null where it can. */
  readonly cannot_run: string | null;
  readonly machine: { [key: string]: Json };
  readonly inferred: readonly {
    readonly what: string;
    readonly value: string;
    readonly from: string;
  }[];
  readonly not_simulated: readonly {
    readonly node: number;
    readonly zone: string;
    readonly present: number;
    readonly reason: string;
  }[];
  readonly check: readonly ZoneCheck[];
}

/** The engine's answer to a paste. */
export type ImportAnswer =
  | { readonly ok: ImportReport; readonly refused?: undefined }
  | { readonly ok?: undefined; readonly refused: readonly Refusal[] };

/** Reads the engine's answer. */
export const readImport = (json: string): ImportAnswer => JSON.parse(json) as ImportAnswer;
