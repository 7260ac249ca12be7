// Which parts of a lesson are shown. The explanation after a question waits for an answer or for
// the reader's request. Later steps build on it, so they wait, too.

import type { Progress } from "./progress";
import type { LessonData, LessonStep } from "./schema";

/**
 * Was a question answered, with any value of its knob, or did the reader ask for its explanation?
 */
export const isRevealed = (
  { given, shown }: Pick<Progress, "given" | "shown">,
  id: string,
): boolean => shown.includes(id) || Object.keys(given).some((run) => run.startsWith(`${id}/`));

/**
 * The first earlier step with an open question; null if the step is open. A step that was read
 * stays open.
 */
export function firstBefore(
  { steps }: Pick<LessonData, "steps">,
  progress: Pick<Progress, "given" | "shown" | "visited">,
  id: string,
): LessonStep | null {
  if (progress.visited.includes(id)) return null;
  const before = steps.slice(
    0,
    steps.findIndex((step) => step.id === id),
  );
  return before.find(({ asks }) => asks !== undefined && !isRevealed(progress, asks)) ?? null;
}
