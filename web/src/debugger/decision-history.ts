// Shows the last decision until the next one. Most steps make no decision, and a sentence that
// changed with every step would be unreadable.

import type { Cause } from "../engine/protocol";
import type { Info, View, Why } from "../engine/types";
import { type Failed, failedZones } from "./wake";

/** A decision, and where it was made. */
interface Decision {
  readonly why: Why;
  readonly step: number;
  /** The task that made it. */
  readonly task: string;
  /** The zones that failed, if it woke kswapd. */
  readonly failed: readonly Failed[];
}

/** The decisions seen up to a moment, the last one at the end. */
export interface DecisionHistory {
  readonly info: Info | null;
  /** The step of the moment. */
  readonly step: number;
  readonly decisions: readonly Decision[];
}

/** The maximum number of decisions that are kept for stepping back. */
const MOST = 64;

/** After this many steps at full speed, an earlier decision is no longer relevant. */
export const FRESH_STEPS = 512;

export const NO_DECISIONS: DecisionHistory = { info: null, step: 0, decisions: [] };

/**
 * The decisions kept at another moment. A jump forgets them, and so does a run of many steps: the
 * decisions between are unknown, and the task that decided before may have exited.
 */
export function withMoment(
  history: DecisionHistory,
  view: View,
  info: Info,
  cause: Cause,
): DecisionHistory {
  const { why, position, tasks } = view;
  const hasRun = position.step - history.step > FRESH_STEPS;
  const hasJumped = hasRun || cause === "opened" || cause === "sought" || cause === "found";
  const isOther = history.info !== info || hasJumped;
  const before = isOther ? [] : history.decisions.filter(({ step }) => step < position.step);
  const again = isOther ? undefined : history.decisions.find(({ step }) => step === position.step);
  const here = why && {
    why,
    step: position.step,
    task: tasks.find(({ id }) => id === why.task)?.name ?? "",
    failed: failedZones(view),
  };
  const last = here ?? again;
  return { info, step: position.step, decisions: (last ? [...before, last] : before).slice(-MOST) };
}
