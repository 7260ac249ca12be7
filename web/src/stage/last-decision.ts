// Searches the log, from now back to boot, for the last decision of reclaim about a page.

import type { AskLog } from "../engine/log-turns";
import { kindOf, NO_KIND, type Rec, recordsIn } from "../engine/record";
import type { Catalog } from "../engine/types";

/** The steps of the first search; each further one is longer. */
const FIRST_STEPS = 10_000;
const LONGER = 8;

const RECLAIM = "mm/vmscan.c";

/** The last decision about a page. */
export type LastDecision =
  | { readonly kind: "decided"; readonly record: Rec }
  /** No decision since the start of the run. */
  | { readonly kind: "none" }
  /** No decision in the latest records. The machine is so large that earlier ones were not kept. */
  | { readonly kind: "recent-only" };

/** Finds the last decision about a page before a step. */
export async function lastDecision(
  ask: AskLog,
  catalog: Pick<Catalog, "records" | "functions">,
  { pfn, step }: { readonly pfn: number; readonly step: number },
  signal: AbortSignal,
): Promise<LastDecision> {
  const filter = {
    kinds: [NO_KIND],
    decisions: true,
    task: null,
    zone: null,
    pages: [pfn, pfn],
  } as const;
  let [from, to] = [step, step];
  for (let steps = FIRST_STEPS; from > 0; steps *= LONGER) {
    to = from;
    from = Math.max(0, to - steps);
    let found: Rec | null = null;
    let answer = await ask({ kind: "begin", from, to, filter });
    // Only the first answer says whether all records of the range exist.
    const { isWhole } = answer;
    for (;;) {
      signal.throwIfAborted();
      for (const record of recordsIn(answer.rows, catalog)) {
        const isOfReclaim = record.fn !== null && catalog.functions[record.fn]?.file === RECLAIM;
        if (isOfReclaim && kindOf(catalog, record.kind).kind === "decision") found = record;
      }
      if (answer.isDone) break;
      answer = await ask({ kind: "more" });
    }
    if (found) return { kind: "decided", record: found };
    if (!isWhole) return { kind: "recent-only" };
  }
  return { kind: "none" };
}
