// What of a lesson is told: what follows a question waits until it was answered, or the reader has
// asked to be shown. Later steps build on it, so they wait too.

import type { Progress } from "./progress";
import type { LessonData, LessonStep } from "./schema";

/** Was a question answered, with any value of its knob, or is what follows it to be shown anyway? */
export const isTold = ({ given, shown }: Pick<Progress, "given" | "shown">, id: string): boolean =>
  shown.includes(id) || Object.keys(given).some((run) => run.startsWith(`${id}/`));

/** The step whose question comes before this one; null where the step is open. What was read stays open. */
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
  return before.find(({ asks }) => asks !== undefined && !isTold(progress, asks)) ?? null;
}
