// Small decisions of the controller that need no state.

import { clock, count, duration } from "../engine/format";
import type { Cause, Frame, Goal, Way } from "../engine/protocol";
import type { Link } from "../link/link";
import type { Key } from "./store";

/** Causes that leave the marks of the last step in place. */
export const keepsBefore = (cause: Cause) => cause === "view";

/** Is a text from a link a key of something on the page? */
export const isKey = (key: string): key is Key =>
  /^((zone|task|page|state) \S+|event [\da-z.]+|fn \S.*)$/.test(key);

/** Where a link points: its step, which with another engine may turn out to be at another time. */
export const goalOf = ({ cursor }: Link): Goal =>
  cursor ? { kind: "step", step: cursor.step } : { kind: "start" };

/** Where a frame stands, in words. */
export const positionWords = ({ view: { position } }: Frame): string =>
  `step ${count(position.step)}, ${clock(position.time_ns)} s`;

/** How much of a long way lies behind, 0 to 1; none while nobody knows where it leads. */
export function shareOf({ from, at, goal_step, goal_ns }: Way): number | null {
  const [begin, here, goal] =
    goal_step === null ? [from.time_ns, at.time_ns, goal_ns] : [from.step, at.step, goal_step];
  if (goal === null) return null;
  return goal <= begin ? 1 : Math.min(1, Math.max(0, (here - begin) / (goal - begin)));
}

/** Where a long way leads, in words. */
export function wayWords({ toEnd, goal_step, goal_ns }: Way): string {
  if (toEnd) return "Running to the end";
  if (goal_step !== null) return `Going to #${count(goal_step)}`;
  return goal_ns === null ? "Going back" : `Going to ${clock(goal_ns)} s`;
}

/** How far a long way has come: "418 s of 1,100 s", or in steps where the goal is one. */
export function wayDone({ at, goal_step, goal_ns }: Way): string {
  if (goal_step !== null) return `#${count(at.step)} of ${count(goal_step)}`;
  return goal_ns === null ? `#${count(at.step)}` : `${clock(at.time_ns)} s of ${duration(goal_ns)}`;
}
