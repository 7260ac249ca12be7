// The result of importing a zoneinfo. The engine writes it as JSON text; this module gives it
// types.

import type { Refusal } from "../engine/types";
import type { Json } from "../link/difference";

/** Watermarks of a zone, pages. */
export interface Marks {
  readonly min: number;
  readonly low: number;
  readonly high: number;
  readonly protection: readonly number[];
}

/** One zone: the values in the dump and those that the engine computes. */
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

/** A described machine, and how it was read. */
export interface ImportReport {
  readonly kernel: string;
  /** Important sentences that the report shows first. */
  readonly caveats: readonly string[];
  /** The reason why the machine cannot run; null if it can. */
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

/** The engine's answer to a pasted text. */
export type ImportAnswer =
  | { readonly ok: ImportReport; readonly refused?: undefined }
  | { readonly ok?: undefined; readonly refused: readonly Refusal[] };

/** Reads the engine's answer. */
export const readImport = (json: string): ImportAnswer => JSON.parse(json) as ImportAnswer;
