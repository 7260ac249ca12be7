// The last decision stays until the next one: most steps decide nothing, and a sentence that came
// and went with every step could not be read.

import type { Cause } from "../engine/protocol";
import type { Info, View, Why } from "../engine/types";
import { type Failed, failedZones } from "./wake";

/** A decision, and where it was made. */
interface Decision {
  readonly why: Why;
  readonly step: number;
  /** Who made it. */
  readonly task: string;
  /** What failed, where it woke kswapd. */
  readonly failed: readonly Failed[];
}

/** The decisions of a machine that were seen on the way to a moment, the last one at the end. */
export interface Kept {
  readonly info: Info | null;
  /** The step of the moment. */
  readonly step: number;
  readonly decisions: readonly Decision[];
}

/** As many can be stepped back over. */
const MOST = 64;

/** So many steps at full speed later, what was decided before says nothing of where it runs now. */
export const FRESH_STEPS = 512;

export const NONE_KEPT: Kept = { info: null, step: 0, decisions: [] };

/**
 * What is kept at another moment. A jump forgets, and so does a run of many steps, to the end say: what
 * was decided on the way is not known, and the task that decided before may have exited.
 */
export function keep(kept: Kept, view: View, info: Info, cause: Cause): Kept {
  const { why, position, tasks } = view;
  const hasRun = position.step - kept.step > FRESH_STEPS;
  const hasJumped = hasRun || cause === "opened" || cause === "sought" || cause === "found";
  const isOther = kept.info !== info || hasJumped;
  const before = isOther ? [] : kept.decisions.filter(({ step }) => step < position.step);
  const again = isOther ? undefined : kept.decisions.find(({ step }) => step === position.step);
  const here = why && {
    why,
    step: position.step,
    task: tasks.find(({ id }) => id === why.task)?.name ?? "",
    failed: failedZones(view),
  };
  const last = here ?? again;
  return { info, step: position.step, decisions: (last ? [...before, last] : before).slice(-MOST) };
}
