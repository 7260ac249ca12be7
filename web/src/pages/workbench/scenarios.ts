// The ready-made experiments in the menu, grouped by subject.

import type { Choice } from "../../engine/types";
import type { ChoiceGroup } from "../../ui/menu";
import { SCENARIOS } from "./words";

/** Headings, each with the ids below it, in order. */
export const GROUPS: readonly { readonly title: string; readonly ids: readonly string[] }[] = [
  {
    title: SCENARIOS.wherePagesComeFrom,
    ids: [
      "first-touch.teach",
      "first-touch",
      "first-touch.4g.teach",
      "first-touch.4g",
      "first-touch.ppc64.teach",
      "first-touch.threads.teach",
      "first-touch.follow.teach",
      "many-tasks.teach",
      "mixed-types.teach",
      "mixed-types",
      "kernel-among-user.teach",
    ],
  },
  {
    title: SCENARIOS.watermarksAndMemory,
    ids: [
      "watermarks.teach",
      "marks-moved.teach",
      "run-out.teach",
      "run-out",
      "out-of-memory.teach",
      "container-at-its-limit.teach",
    ],
  },
  {
    title: SCENARIOS.pageCacheSwapAndWriteback,
    ids: [
      "streaming-reader.teach",
      "streaming-reader",
      "hot-set-and-stream.teach",
      "anon-hog.teach",
      "anon-hog",
      "dirty-writer.teach",
      "dirty-writer",
    ],
  },
  {
    title: SCENARIOS.publishedWritersCopies,
    ids: [
      "fsmark.teach",
      "fsmark",
      "large-dd.teach",
      "large-dd",
      "streaming-mapped-writer.teach",
      "streaming-mapped-writer",
      "tiobench.teach",
      "tiobench",
    ],
  },
  {
    title: SCENARIOS.publishedHugePages,
    ids: [
      "stress-highalloc.teach",
      "stress-highalloc-quiet.teach",
      "stress-highalloc",
      "stress-highalloc-16m",
    ],
  },
  {
    title: SCENARIOS.publishedReclaimThrottling,
    ids: ["stutterp.teach", "stutterp", "stutterp-80.teach", "stutterp-80"],
  },
  {
    title: SCENARIOS.publishedNumaPlacement,
    ids: [
      "numa01.teach",
      "numa01",
      "numa01-thread-alloc",
      "numa02.teach",
      "numa02",
      "numa01-12cpu",
      "numa01-thread-alloc-12cpu",
      "numa02-12cpu",
      "numa01-12cpu-bound",
      "numa01-thread-alloc-12cpu-bound",
      "numa01-12cpu-inverse",
      "numa01-thread-alloc-12cpu-inverse",
      "numa02-12cpu-bound",
      "numa02-12cpu-inverse",
      "specjbb-4x-thp.teach",
      "specjbb-4x-thp",
      "specjbb-4x-nothp",
      "specjbb-4x-bound",
      "perf-bench-4x8",
    ],
  },
];

/** The subject of an experiment, if the workload's description is not enough. */
const ABOUT: Readonly<Record<string, string>> = {
  "first-touch.4g.teach": SCENARIOS.firstTouchTeach,
  "first-touch.4g": SCENARIOS.firstTouch,
  "first-touch.ppc64.teach": SCENARIOS.firstTouchPpc64,
  "first-touch.follow.teach": SCENARIOS.threadsOfFirstTouch,
  "specjbb-4x-nothp": SCENARIOS.fourJvmsWithKib,
  "watermarks.teach": SCENARIOS.whileShortLivedTasks,
};

/** The experiments below their headings; those without a heading are at the end, below "Others". */
export function scenarioGroups(experiments: readonly Choice[]): readonly ChoiceGroup[] {
  const known = new Map(experiments.map((choice) => [choice.id, choice]));
  const grouped = new Set(GROUPS.flatMap(({ ids }) => ids));
  const withAbout = (choice: Choice) => ({ ...choice, about: ABOUT[choice.id] ?? choice.about });
  const groups = GROUPS.map(({ title, ids }) => ({
    title,
    choices: ids.flatMap((id) => known.get(id) ?? []).map(withAbout),
  }));
  const others = experiments.filter(({ id }) => !grouped.has(id));
  return others.length === 0 ? groups : [...groups, { title: SCENARIOS.others, choices: others }];
}
