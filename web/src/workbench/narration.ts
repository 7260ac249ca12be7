// What a screen reader hears after a manual step or a pause: the engine's own sentence.

import { clock, count } from "../draw/format";
import type { Frame } from "../engine/protocol";
import type { Span } from "../engine/types";

/** A sentence without its links. */
export const plain = (sentence: readonly Span[]): string =>
  sentence.map(({ text }) => text).join("");

/** The frame in words. */
export function narrate({ view }: Frame): string {
  const { why, position, tasks, ran } = view;
  const where = `Step ${count(position.step)}, ${clock(position.time_ns)} seconds.`;
  if (why) return `${plain(why.sentence)} ${where}`;
  const task = tasks.find(({ id }) => id === ran);
  const doing = task?.function ? `${task.name} is in ${task.function}.` : "Nothing was decided.";
  return position.ended ? `The run has ended. ${where}` : `${doing} ${where}`;
}
