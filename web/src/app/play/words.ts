// The texts of a search for a record, and the names in a story of the open machine.

import type { Catalog, View } from "../../engine/types";
import type { StoryWords } from "../../story/telling";

/** A device's class is in the name of its interrupt handler: irq/sda. */
const IRQ = "irq/";

/** The names at a moment, and the names of tasks that were known before. */
export function storyWords(
  { lru }: Pick<Catalog, "lru">,
  { zones, tasks }: Pick<View, "zones" | "tasks">,
  before: StoryWords["tasks"] = new Map(),
): StoryWords {
  const names = new Map(before);
  for (const { id, name } of tasks) names.set(id, name);
  const handlers = tasks.filter(({ name }) => name.startsWith(IRQ));
  return {
    zones: zones.map(({ key, min, low, high }) => ({ key, min, low, high })),
    tasks: names,
    devices: handlers.map(({ name }) => name.slice(IRQ.length)),
    lru,
  };
}

/** `run-to.ts`: Runs to the next record of a kind, or back to the previous one: first searches the records, then goes to the step found. */
export const RUN_TO = {
  noneAhead: (words: string) => `No ${words} in the rest of this run.`,
  noneBefore: (words: string) => `No ${words} before this moment.`,
} as const;
