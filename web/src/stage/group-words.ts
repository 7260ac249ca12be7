// Texts about memory cgroups.

import { count, counted } from "../engine/format";
import type { GroupEventsView, GroupView, HeldBy } from "../engine/types";

const limits = ({ max, high, low, min, effective_low, effective_min }: GroupView): string[] =>
  [
    max !== null && `memory.max ${counted(max, "page")}`,
    high !== null && `memory.high ${counted(high, "page")}`,
    low > 0 && `memory.low ${counted(low, "page")}, of which ${count(effective_low)} effective now`,
    min > 0 && `memory.min ${counted(min, "page")}, of which ${count(effective_min)} effective now`,
  ].filter((words) => words !== false);

const held: Readonly<Record<HeldBy, string>> = {
  max: "reclaims: the group is at memory.max",
  high: "reclaims: the group is above memory.high",
  pause: "pauses: the group is above memory.high",
  oom: "runs the OOM killer: nothing could be reclaimed",
};

/** `Groups.tsx`: The memory cgroups of the machine. */
export const GROUPS = {
  title: "Memory cgroups",
  group: (path: string) => `Memory cgroup ${path}`,
  inside: (path: string) => `in ${path}`,
  used: (usage: number, max: number | null) =>
    max === null ? counted(usage, "page") : `${count(usage)} of ${counted(max, "page")}`,
  tank: (group: GroupView) =>
    [`${counted(group.usage, "page")} charged`, ...limits(group)].join("; "),
  scale: (pages: number) =>
    `The tank shows ${counted(pages, "page")}. Clean file pages are on top, because reclaim frees them first.`,
  inAdvance: (pages: number) => `kernel objects and pages charged in advance: ${count(pages)}`,
  inSwap: (slots: number) => `in swap: ${count(slots)}`,
  noProcesses: "No process of its own.",
  mapped: (rss: number, swapped: number) =>
    swapped > 0
      ? `${counted(rss, "page")} mapped, ${count(swapped)} in swap`
      : `${counted(rss, "page")} mapped`,
  killed: "is being killed",
  events: ({ low, high, max, oom, oom_kill }: GroupEventsView) =>
    [
      `max\u00a0${count(max)}`,
      `high\u00a0${count(high)}`,
      `oom\u00a0${count(oom)}`,
      `oom_kill\u00a0${count(oom_kill)}`,
      ...(low > 0 ? [`low\u00a0${count(low)}`] : []),
    ].join(" · "),
  eventsFile: "memory.events",
  stalled: (time: string) => `Tasks have stalled for ${time}.`,
  task: (id: number) => `task ${id}`,
  held,
} as const;
