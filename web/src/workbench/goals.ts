// Small decisions of the controller that need no state.

import { clock, count } from "../draw/format";
import type { Cause, Frame, Goal } from "../engine/protocol";
import type { Link } from "../link/link";
import type { Key } from "./store";

/** Causes that leave the marks of the last step in place. */
export const keepsBefore = (cause: Cause) => cause === "view";

/** Is a text from a link a key of something on the page? */
export const isKey = (key: string): key is Key => /^(zone|task|page|state) \S+$/.test(key);

/** By the same engine a link goes to the step; by another, to the same virtual time. */
export function goalOf({ cursor }: Link, version: string): Goal {
  if (!cursor) return { kind: "start" };
  return cursor.engine === version
    ? { kind: "step", step: cursor.step }
    : { kind: "time", time_ns: cursor.time_ns };
}

/** Where a frame stands, in words. */
export const positionWords = ({ view: { position } }: Frame): string =>
  `step ${count(position.step)}, ${clock(position.time_ns)} s`;
