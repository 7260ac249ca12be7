// The ready-made experiments in the menu, grouped by subject.

import type { Choice } from "../../engine/types";
import type { ChoiceGroup } from "../../ui/menu";

/** Headings, each with the ids below it, in order. */
export const GROUPS: readonly { readonly title: string; readonly ids: readonly string[] }[] = [
  {
    title: "Where pages come from",
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
    title: "Watermarks, and memory that runs out",
    ids: [
      "watermarks.teach",
      "marks-moved.teach",
      "run-out.teach",
      "run-out",
      "out-of-memory.teach",
    ],
  },
  {
    title: "Page cache, swap and writeback",
    ids: [
      "streaming-reader.teach",
      "streaming-reader",
      "anon-hog.teach",
      "anon-hog",
      "dirty-writer.teach",
      "dirty-writer",
    ],
  },
  {
    title: "Published: writers, copies and kswapd, 2011 and 2014",
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
    title: "Published: huge pages and compaction, 2010 and 2011",
    ids: [
      "stress-highalloc.teach",
      "stress-highalloc-quiet.teach",
      "stress-highalloc",
      "stress-highalloc-16m",
    ],
  },
  {
    title: "Published: reclaim throttling, 2021",
    ids: ["stutterp.teach", "stutterp", "stutterp-80.teach", "stutterp-80"],
  },
  {
    title: "Published: NUMA placement on four nodes and on two, 2012",
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
  "first-touch.4g.teach":
    "The processes of first touch on small nodes: node 0 ends below 4 GiB and has no Normal zone, so its requests begin in DMA32.",
  "first-touch.4g":
    "The processes of first touch on nodes of 2 GiB: node 0 ends below 4 GiB and has no Normal zone, so its requests begin in DMA32.",
  "first-touch.ppc64.teach":
    "The processes of first touch on a ppc64 machine: each node has one zone, and a page is 64 KiB.",
  "first-touch.follow.teach":
    "The threads of first touch with NUMA balancing: move one to the other node, and hinting faults bring its pages there.",
  "specjbb-4x-nothp":
    "The four JVMs with 4 KiB pages: there are 512 times as many entries to mark, to fault on and to move.",
  "watermarks.teach":
    "While short-lived tasks fill memory, vm.min_free_kbytes and vm.watermark_scale_factor are changed three times, and the watermarks of every zone with them.",
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
  return others.length === 0 ? groups : [...groups, { title: "Others", choices: others }];
}
