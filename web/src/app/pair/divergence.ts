// The search for the first difference between two runs, and the decisions of both runs from there
// on.

import type { DivergedRun, ProgramPoint, RunComparison } from "../../engine/first-divergence";
import { logEntry } from "../../engine/log-entry";
import type { AskLog } from "../../engine/log-turns";
import type { MeasureClient } from "../../engine/measure-client";
import { NO_KIND, recordsIn } from "../../engine/record";
import { type Words, wordsOf } from "../../engine/sentence";
import type { Catalog, LogEntry } from "../../engine/types";
import type { Session } from "../store";
import { PAIR } from "../words";

/** The decisions of both runs from the first one that differs. */
export interface Decisions {
  /** The decisions that differ, of each run; null if one run makes no more decision. */
  readonly first: readonly [LogEntry | null, LogEntry | null];
  /** The next decisions of each run. */
  readonly following: readonly [readonly LogEntry[], readonly LogEntry[]];
}

/** The decisions, or why there are none: they are being read, or they cannot be read. */
export type ReadDecisions =
  | { readonly kind: "reading" }
  | { readonly kind: "read"; readonly decisions: Decisions }
  | { readonly kind: "unreadable"; readonly message: string };

/** What is known about the first divergence. */
export type Divergence =
  | { readonly kind: "unknown" }
  | { readonly kind: "searching"; readonly step: number; readonly time_ns: number }
  /** The runs are equal up to their end. */
  | { readonly kind: "none"; readonly step: number }
  | {
      readonly kind: "found";
      /** The number of program points that both runs executed identically. */
      readonly step: number;
      readonly time_ns: number;
      readonly last: ProgramPoint | null;
      readonly runs: readonly DivergedRun[];
      readonly decisions: ReadDecisions;
    }
  | { readonly kind: "stopped"; readonly message: string };

/** Searches from the start of both runs. */
export async function findDivergence(
  client: MeasureClient,
  experiments: readonly [string, string],
  signal: AbortSignal,
  progress: (step: number, time_ns: number) => void,
): Promise<Divergence> {
  const { outcome, step, last, runs } = await client.compareRuns(experiments, {
    signal,
    progress: ({ step: at, runs: both }: RunComparison) => progress(at, both[0]?.time_ns ?? 0),
  });
  if (outcome === "ended") return { kind: "none", step };
  const time_ns = Math.min(...runs.map((run) => run.time_ns));
  return { kind: "found", step, time_ns, last, runs, decisions: { kind: "reading" } };
}

/** Steps after the divergence in which decisions are compared. */
const WINDOW_STEPS = 20_000;
/** The maximum number of decisions to compare, and the number of following decisions to show. */
const MOST_COMPARED = 400;
const MOST_FOLLOWING = 4;

/** Reads the decisions of both runs around the step up to which the runs are equal. */
export async function readDecisions(
  sides: readonly [DecisionSource, DecisionSource],
  catalog: Catalog,
  step: number,
): Promise<Decisions> {
  const [a, b] = await Promise.all(sides.map((side) => decisionsOf(side, catalog, step)));
  return compareDecisions(a ?? [], b ?? []);
}

/** The run of one side. */
export interface DecisionSource {
  readonly ask: AskLog;
  readonly session: Session;
}

/** A decision, and its content as text, for comparison. */
interface Decision {
  readonly entry: LogEntry;
  readonly key: string;
}

/** The decisions from the first one that differs. */
function compareDecisions(a: readonly Decision[], b: readonly Decision[]): Decisions {
  let at = 0;
  while (at < a.length && at < b.length && a[at]?.key === b[at]?.key) at += 1;
  const next = (side: readonly Decision[]) => side.slice(at + 1, at + 1 + MOST_FOLLOWING);
  return {
    first: [a[at]?.entry ?? null, b[at]?.entry ?? null],
    following: [next(a).map((each) => each.entry), next(b).map((each) => each.entry)],
  };
}

/**
 * The content of a decision without its position in the run: its sentence, or all of its values.
 */
const keyOf = ({ name, task, sentence, fields }: LogEntry): string =>
  JSON.stringify([name, task, sentence?.map(({ text }) => text) ?? fields]);

async function decisionsOf(
  { ask, session }: DecisionSource,
  catalog: Catalog,
  step: number,
): Promise<Decision[]> {
  const view = session.frame?.view;
  if (!view) return [];
  const words: Words = wordsOf(catalog, session.info, view);
  // At the last point that both runs executed, they may have decided differently.
  const from = Math.max(0, step - 1);
  const filter = { decisions: true, kinds: [NO_KIND], task: null, zone: null, pages: null };
  const found: Decision[] = [];
  try {
    let answer = await ask({ kind: "begin", from, to: from + WINDOW_STEPS, filter });
    // Without the first decisions, later ones would pass for the first that differ.
    if (!answer.isWhole) throw new Error(PAIR.decisionsLost);
    for (;;) {
      for (const record of recordsIn(answer.rows, catalog)) {
        const entry = logEntry(record, words);
        found.push({ entry, key: keyOf(entry) });
      }
      if (answer.isDone || found.length >= MOST_COMPARED) return found;
      answer = await ask({ kind: "more" });
    }
  } finally {
    ask({ kind: "end" }).catch(() => {});
  }
}
