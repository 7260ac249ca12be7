// Requests from the engine who paid in a range, slice by slice.

import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import { PAID_BEGUN, type PaidState, readPaid } from "../../app/paid";

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
  const [state, setState] = useState<PaidState>(PAID_BEGUN);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failed attempt is repeated on demand
  useEffect(() => {
    if (!isPaused) return;
    return readPaid(workbench, { experiment, from, to }, setState);
  }, [workbench, experiment, from, to, isPaused, attempt]);
  return { state, again: () => setAttempt((last) => last + 1) };
}
