// Small functions of the controller that need no state.

import { clock, count, duration } from "../engine/format";
import type { Cause, Frame, Goal, LongRun } from "../engine/protocol";
import type { Link } from "../link/link";
import type { Key } from "./store";
import { GOALS } from "./words";

/** Whether a frame with this cause preserves the highlights of the last step. */
export const keepsBefore = (cause: Cause) => cause === "view";

/** Whether a text from a link is the key of an item on the page. */
export const isKey = (key: string): key is Key =>
  /^((zone|task|page|state) \S+|event [\da-z.]+|fn \S.*)$/.test(key);

/** The step in a link; another engine may have another time at that step. */
export const goalOf = ({ cursor }: Link): Goal =>
  cursor ? { kind: "step", step: cursor.step } : { kind: "start" };

/** The position of a frame, in words. */
export const positionWords = ({ view: { position } }: Frame): string =>
  `step ${count(position.step)}, ${clock(position.time_ns)} s`;

/** How much of a long run is done, 0 to 1; null while its target is unknown. */
export function shareOf({ from, at, goal_step, goal_ns }: LongRun): number | null {
  const [begin, here, goal] =
    goal_step === null ? [from.time_ns, at.time_ns, goal_ns] : [from.step, at.step, goal_step];
  if (goal === null) return null;
  return goal <= begin ? 1 : Math.min(1, Math.max(0, (here - begin) / (goal - begin)));
}

/** The target of a long run, in words. */
export function longRunWords({ toEnd, goal_step, goal_ns }: LongRun): string {
  if (toEnd) return GOALS.runningToEnd;
  if (goal_step !== null) return GOALS.goingTo(goal_step);
  return goal_ns === null ? GOALS.goingBack : GOALS.goingToS(goal_ns);
}

/** The progress of a long run: "418 s of 1,100 s", or in steps if its target is a step. */
export function longRunProgress({ at, goal_step, goal_ns }: LongRun): string {
  if (goal_step !== null) return GOALS.steps(at.step, goal_step);
  return goal_ns === null ? `#${count(at.step)}` : `${clock(at.time_ns)} s of ${duration(goal_ns)}`;
}
