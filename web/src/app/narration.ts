// The text for a screen reader after a manual step or a pause: the engine's own sentence.

import { endWords } from "../engine/end";
import { clock, count } from "../engine/format";
import type { Frame, LongRun } from "../engine/protocol";
import type { Span } from "../engine/types";
import { longRunWords, shareOf } from "./goals";
import { NARRATION } from "./words";

/** A sentence without its links. */
export const plain = (sentence: readonly Span[]): string =>
  sentence.map(({ text }) => text).join("");

/** Describes the frame in words. */
export function narrate({ view }: Frame): string {
  const { why, position, panic, tasks, ran } = view;
  const where = NARRATION.position(position.step, position.time_ns);
  if (panic !== null) return `${endWords(view)} ${where}`;
  if (position.ended) return NARRATION.ended(where);
  if (why) return `${plain(why.sentence)} ${where}`;
  const task = tasks.find(({ id }) => id === ran);
  const doing = task?.function ? NARRATION.isIn(task.name, task.function) : NARRATION.noDecision;
  return `${doing} ${where}`;
}

/** Describes a long run in words: first its target, then its progress. */
export function narrateLongRun(longRun: LongRun): string {
  const share = shareOf(longRun);
  const here = `step ${count(longRun.at.step)}, ${clock(longRun.at.time_ns)} seconds`;
  const percent = share === null ? "" : `${Math.floor(share * 100)} %, `;
  return `${longRunWords(longRun)}: ${percent}${here}.`;
}
