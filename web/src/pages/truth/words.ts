// The words of the truth page for its measurements.

import { count, counted } from "../../engine/format";
import type { NotRun, ScoredTables, TwinRow } from "../../engine/load-truth";
import type { Scores } from "../../engine/report";

/** Beyond this factor, either way, a counter is called far off. */
export const FAR = 1.5;

/** Is a counter's ratio outside 1/1.5 to 1.5? True for a counter that our engine does not have. */
export const isFar = (ratio: number | null): boolean =>
  ratio === null || ratio > FAR || ratio < 1 / FAR;

/** Was the captured run repeated? */
export const isTwin = (row: TwinRow | NotRun): row is TwinRow => !("not_run" in row);

/** Descriptions of the captures' workloads. */
const WORKLOADS: Readonly<Record<string, string>> = {
  hog: "a process touches more memory than there is, twice, with swap",
  bindhog: "as hog, with its memory bound to one node",
  hogslab: "3,000 new files, then a process that needs the memory they fill",
  mix: "two writers and two hogs on slow disks",
  reader: "a file larger than memory is read once",
  writer: "a file larger than memory is written",
  zreclaim: "a reader bound to a node, with zone_reclaim_mode 1",
  storm: "writers and hogs on slow disks",
  stormkey: "writers and hogs on slow disks",
  huge: "many huge pages are requested in fragmented memory",
  compactall: "fragmented memory is compacted at once",
  numabal: "memory is moved to the node that uses it",
  wrongnode: "a task touches memory on one node, then sweeps it from the other",
  wrongthp: "as wrongnode, with huge pages",
  numa: "threads of processes sweep their memory while NUMA balancing is on",
  stream: "a file larger than memory is read twice beside a working set",
  map: "a mapped file larger than memory is touched beside a small one",
  thp: "a process asks for huge pages in fragmented memory",
};

/** Splits a capture's name: "dyn-x86_64-6.1-512m512m-2n-reader". */
export function captureOf(name: string): { workload: string; where: string; about: string } {
  const [, arch = "", kernel = "", ...rest] = name.split("-");
  const nodesAt = rest.findIndex((part) => /^\d+n$/.test(part));
  const memory = rest[nodesAt - 1] ?? "";
  const workload = rest.slice(nodesAt + 1).join("-");
  const nodes = Number.parseInt(rest[nodesAt] ?? "1", 10);
  // "mg": the multi-generational LRU was on.
  const isMultigen = workload.endsWith("mg");
  const known = workload.replace(/(\d+|mg)$/, "").split("-")[0] ?? "";
  const about = WORKLOADS[known] ?? "";
  return {
    workload,
    where: `${kernel}, ${arch}, ${memory
      .replace(/(\d)m(?=\d)/g, "$1m + ")
      .replace(/m\b/g, " MiB")
      .replace(/g\b/g, " GiB")}, ${counted(nodes, "node")}`,
    about: isMultigen ? `${about}; the real kernel used the multi-generational LRU` : about,
  };
}

/** "28 of 28". */
export const ofWords = (some: number, all: number): string => `${count(some)} of ${count(all)}`;

/** A part of one in percent: 0.266 is "26.6 %". */
export const percentOf = (part: number | null): string =>
  part === null ? "unknown" : `${(part * 100).toFixed(1)} %`;

/** A ratio in words. */
export const ratioWords = (ratio: number | null): string =>
  ratio === null ? "not counted" : `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)} times`;

/** The sum of several tables' scores. */
export function sumOf(all: readonly Scores[]): Scores {
  const sum = (of: (scores: Scores) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    scored: sum(({ scored }) => scored),
    agree: sum(({ agree }) => agree),
    moving: sum(({ moving }) => moving),
    moving_agree: sum(({ moving_agree }) => moving_agree),
    ratio: sum(({ ratio }) => ratio),
    within2: sum(({ within2 }) => within2),
  };
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** When results were made, and by which versions; empty if there are none. */
export function madeWords(all: readonly { readonly made: string; readonly version: string }[]) {
  const days = [...new Set(all.map(({ made }) => made))].sort();
  const versions = [...new Set(all.map(({ version }) => version))].sort();
  const [first, last] = [days[0], days.at(-1)].map((day) => day && DAY.format(new Date(day)));
  if (!first) return "";
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  return `Made ${when} by engine ${versions.join(" and ")}. `;
}

/** The scores of all tables in one sentence. */
export const scoreWords = ({ scores }: Pick<ScoredTables, "scores">): string =>
  `${ofWords(scores.moving_agree, scores.moving)} published changes agree in direction; ${ofWords(
    scores.within2,
    scores.ratio,
  )} are within a factor of two.`;
