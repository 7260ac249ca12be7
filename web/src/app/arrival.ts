// What a page says when it stands where a link pointed: reproduced, different, or another engine.

import { clock, count } from "../engine/format";
import type { Position } from "../engine/types";
import type { LinkCursor } from "../link/schema";

/** Where the engine is. */
export interface Here {
  readonly hash: string;
  readonly position: Position;
  /** The engine's version. */
  readonly engine: string;
}

/** One sentence about how well the link's moment was found again. */
export function verdict(cursor: LinkCursor, here: Here): string {
  const { step, time_ns } = here.position;
  if (cursor.engine !== here.engine) {
    const age = isNewer(here.engine, cursor.engine) ? "newer" : "older";
    return `This link was made by engine ${cursor.engine}; this one is ${age}, ${here.engine}. You are at the same virtual time, ${clock(time_ns)} s, which may be another step.`;
  }
  if (step !== cursor.step) {
    return `The link points at step ${count(cursor.step)}; this run ends at step ${count(step)}.`;
  }
  return cursor.hash === here.hash
    ? `Reproduced: step ${count(step)} has the state hash of the link, ${here.hash}.`
    : `Step ${count(step)} differs: its state hash is ${here.hash}, the link says ${cursor.hash}.`;
}

/** Compares versions such as 0.10.2 by their numbers. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) =>
    version.split(/[.-]/).map((part) => Number(part) || 0),
  );
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let i = 0; i < length; i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
