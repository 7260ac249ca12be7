// The explanation of messages of a real machine. The engine writes it as JSON text; this module
// gives it types.

import type { Refusal } from "./types";

/** The explanation of the texts of a machine. */
export interface Explanation {
  /** Each report and each listing, in the order of files and lines. */
  readonly documents: readonly ExplainedDocument[];
  readonly refusals: readonly {
    readonly file: string;
    readonly line: number | null;
    readonly reason: string;
  }[];
}

/** A report of the kernel's log, or a listing of /proc/zoneinfo. */
export interface ExplainedDocument {
  readonly kind:
    | "oom_kill"
    | "cgroup_oom"
    | "allocation_failure"
    | "memory_report"
    | "zoneinfo"
    | "memory_stat";
  readonly file: string;
  /** Its first line, from 1. */
  readonly line: number;
  readonly last_line: number;
  /** One sentence without a full stop. */
  readonly title: string;
  /** The unit of the zones. */
  readonly unit: "kB" | "pages";
  /** Most important first. */
  readonly findings: readonly Finding[];
  readonly zones: readonly ExplainedZone[];
}

export interface Finding {
  readonly severity: "cause" | "warning" | "note";
  readonly text: string;
  readonly numbers: readonly {
    readonly name: string;
    readonly value: number;
    readonly unit: "kB" | "pages" | "";
  }[];
  /** The location of the numbers; null if the text does not contain them. */
  readonly line: number | null;
}

/** A zone; a value is null if the text lacks the number. */
export interface ExplainedZone {
  readonly node: number;
  readonly zone: string;
  readonly line: number;
  readonly free: number | null;
  readonly min: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly reserve: number | null;
  readonly needs: number | null;
  readonly verdict: "passes" | "below" | "no_block" | "not_allowed" | "unknown";
  readonly blocks: readonly {
    readonly order: number;
    readonly count: number;
    readonly types: string;
  }[];
}

/** The answer of the engine's `explain_machine`. */
export function readExplanation(json: string): Explanation {
  const { ok, refused }: { ok?: Explanation; refused?: readonly Refusal[] } = JSON.parse(json);
  if (ok) return ok;
  throw new Error(refused?.map(({ reason }) => reason).join("; "));
}
