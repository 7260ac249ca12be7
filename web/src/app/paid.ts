// Asks a machine who paid for reclaim in a range of steps. The engine replays the range in slices.

import type { Paid, PaidAct } from "../engine/paid";
import type { Workbench } from "./controller";

/** The progress of the answer. */
export type PaidState =
  | { readonly kind: "replaying"; readonly share: number }
  | { readonly kind: "known"; readonly paid: Paid }
  | { readonly kind: "no-memory" }
  | { readonly kind: "failed"; readonly message: string };

/** The state of a question that has just been asked. */
export const PAID_BEGUN: PaidState = { kind: "replaying", share: 0 };

/** The steps after `from`, until `to` steps are done. */
export interface PaidRange {
  /** Canonical JSON of the open experiment. */
  readonly experiment: string;
  readonly from: number;
  readonly to: number;
}

/** Passes the progress and the answer to `show`. Returns a function that ends the replay. */
export function readPaid(
  workbench: Pick<Workbench, "ask">,
  { experiment, from, to }: PaidRange,
  show: (state: PaidState) => void,
): () => void {
  let isCurrent = true;
  const ask = (act: PaidAct) => workbench.ask({ kind: "paid", act });
  const showCurrent = (next: PaidState) => isCurrent && show(next);
  const read = async () => {
    let answer = await ask({ kind: "begin", experiment, from, to });
    while (isCurrent && answer.isWhole && !answer.paid) {
      showCurrent({ kind: "replaying", share: Math.min(1, answer.at / Math.max(1, to)) });
      answer = await ask({ kind: "more" });
    }
    if (answer.paid) showCurrent({ kind: "known", paid: answer.paid });
    else if (!answer.isWhole) showCurrent({ kind: "no-memory" });
  };
  showCurrent(PAID_BEGUN);
  read().catch(({ message }: Error) => showCurrent({ kind: "failed", message }));
  return () => {
    isCurrent = false;
    void ask({ kind: "end" }).catch(() => {});
  };
}
