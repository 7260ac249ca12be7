// Requests from the engine who paid in a range, slice by slice.

import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import type { Paid, PaidAct } from "../../engine/paid";

/** The progress of the answer. */
export type PaidState =
  | { readonly kind: "replaying"; readonly share: number }
  | { readonly kind: "known"; readonly paid: Paid }
  | { readonly kind: "no-memory" }
  | { readonly kind: "failed"; readonly message: string };

const BEGUN: PaidState = { kind: "replaying", share: 0 };

/**
 * Who paid in the steps after `from`, until `to` steps are done, and a function to request it
 * again.
 */
export function usePaid(
  experiment: string,
  from: number,
  to: number,
): { state: PaidState; again: () => void } {
  const workbench = useWorkbench();
  const isPaused = useWorkbenchState(
    ({ longRun, session }) => !longRun && session?.frame?.mode.kind === "paused",
  );
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<PaidState>(BEGUN);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failed attempt is repeated on demand
  useEffect(() => {
    if (!isPaused) return;
    let isWanted = true;
    const ask = (act: PaidAct) => workbench.ask({ kind: "paid", act });
    const show = (next: PaidState) => isWanted && setState(next);
    show(BEGUN);
    const read = async () => {
      let answer = await ask({ kind: "begin", experiment, from, to });
      while (isWanted && answer.isWhole && !answer.paid) {
        show({ kind: "replaying", share: Math.min(1, answer.at / Math.max(1, to)) });
        answer = await ask({ kind: "more" });
      }
      if (answer.paid) show({ kind: "known", paid: answer.paid });
      else if (!answer.isWhole) show({ kind: "no-memory" });
    };
    read().catch(({ message }: Error) => show({ kind: "failed", message }));
    return () => {
      isWanted = false;
      void ask({ kind: "end" }).catch(() => {});
    };
  }, [workbench, experiment, from, to, isPaused, attempt]);
  return { state, again: () => setAttempt((last) => last + 1) };
}
