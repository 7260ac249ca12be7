// Decides which parts of a lesson are shown. The explanation after a question is hidden until the
// reader answers or asks for it. Later steps build on the explanation, so they are hidden, too.

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
 * The first earlier step with an open question; null if the step is shown. A step that was read
 * stays visible.
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
