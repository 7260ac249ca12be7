// The words of the truth page for its measurements.

import { count, counted } from "../../engine/format";
import type { CgroupRow, NotRun, ScoredTables, TwinRow } from "../../engine/load-truth";
import type { Scores } from "../../engine/report";

/** Amounts up to this one are not meaningful and not compared, apart from the events of cgroups. */
export const MANY = 1000;

/** Beyond this factor, in either direction, a counter is called far off. */
export const FAR = 1.5;

/** Is a counter's ratio outside 1/1.5 to 1.5? True for a counter that our engine does not have. */
export const isFar = (ratio: number | null): boolean =>
  ratio === null || ratio > FAR || ratio < 1 / FAR;

/** Does a row of a cgroup differ: an event at all, another row by more than the factor? */
export const isCgroupRowFar = ({ kind, real, simulated }: CgroupRow): boolean =>
  kind === "event" || simulated === null ? simulated !== real : isFar(simulated / real);

/** Was the captured run repeated? */
export const isTwin = (row: TwinRow | NotRun): row is TwinRow => !("not_run" in row);

/** Descriptions of the captures' workloads. */
const WORKLOADS: Readonly<Record<string, string>> = {
  memmaxhog: "a process touches more memory than its cgroup may have, twice, with swap",
  memmaxread: "a file larger than the limit of the reader's cgroup is read twice",
  memhighread: "a file larger than memory.high of the reader's cgroup is read twice",
  hog: "a process touches more memory than the machine has, twice, with swap",
  bindhog: "the same as hog, but with its memory bound to one node",
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
  wrongthp: "the same as wrongnode, but with huge pages",
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
    about: isMultigen ? `${about}; both runs use the multi-generational LRU` : about,
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
  return `The results were made ${when} by engine ${versions.join(" and ")}. `;
}

/** The scores of all tables in one sentence. */
export const scoreWords = ({ scores }: Pick<ScoredTables, "scores">): string =>
  `${ofWords(scores.moving_agree, scores.moving)} published changes agree in direction; ${ofWords(
    scores.within2,
    scores.ratio,
  )} are within a factor of two.`;

/** `Modelled.tsx`: The mechanisms of each kernel with their fidelity: mirrored, simplified or absent. */
export const MODELLED = {
  mirrored: "Mirrored",
  mirroredHelp: "the same decisions from the same inputs, with nothing left out",
  simplified: "Simplified",
  simplifiedHelp: "the same direction of the effect; the note says what differs",
  absent: "Absent",
  absentHelp: "not modelled; the note says where it would matter",
  whatIsModelledAndHow: "Modelled functions and mechanisms",
  functions: (mirrored: number, simplified: number) =>
    `Of the kernel functions you can step through, ${mirrored} are mirrored line by line and ${simplified} are simplified. A note beside the code of each function says what is left out. The lists below show the mechanisms of each kernel.`,
  kernel: "Kernel",
} as const;

/** `Rules.tsx`: The static rules: watermarks, protection and list sizes, compared with the output of real kernels. */
export const RULES = {
  watermarksAndListSizes: "Watermarks and list sizes compared with real kernels",
  tunables: (sum: number) =>
    `In ${sum} cases a running kernel printed its <code>/proc/zoneinfo</code> after a change of a tunable. <of/> zones (min, low, high, protection) and per-cpu lists (sizes) are the same to the page.`,
  kernel: "kernel",
  cases: "cases",
  zones: "zones",
  perCpuLists: "per-cpu lists",
  different: "different",
  none: "none",
  machinesAtBoot: "Machines at boot",
  machinesHelp:
    "mmscope computes the watermarks of a pasted <code>/proc/zoneinfo</code>. The kernel computed them at boot. Its page counts have changed since then, so differences of a few pages are expected. The list gives the reason for each difference.",
  readAsSame: (kernel: string, of: string, zones: number) =>
    `<name/>, read as ${kernel}: ${of} ${zones === 1 ? "zone" : "zones"} the same`,
  atMost: (most: number, unique: string) => `at most ${counted(most, "page")}: ${unique}`,
} as const;

/** `Strip.tsx`: A twin's counters on one axis, each at its ratio to the real run. */
export const STRIP = {
  countersOf: (name: string, value: number, far: number) =>
    `Counters of ${name} by their ratio to the real run: ${value} within 1.5, ${far} beyond`,
} as const;

/** `Tables.tsx`: Published tables at their published size: how many changes have the published direction, by the committed full-size results. */
export const TABLES = {
  publishedTables: "Published tables",
  about:
    "The table compares the benchmarks of five published series, run at their published size with each of their kernels. It names the kernels whose results have not been made yet. <score/>",
  made: (made: string, waiting: number, of: string) =>
    `${made}${waiting > 0 ? `Results of ${of} tables have not been made. ` : ""}<code>npm run sim -- fidelity --write</code> makes missing and outdated results; <code>npm test</code> fails when the engine no longer reproduces one.`,
  table: "table",
  rows: "rows",
  cellsThatAgreeInDirection: "cells that agree in direction",
  teachingSize: (score: string) =>
    `At teaching size the benchmarks are meant for watching the machine, not for comparison: memory and disks are scaled, but constants are not. ${score}`,
  notMadeYet: (missing: string) => `not made yet: ${missing}`,
} as const;

/** `TruthPage.tsx`: How the engine compares with real kernels and published tables, and what it leaves out. */
export const TRUTH_PAGE = {
  documentTitle: "How true is this? · mmscope",
  title: "How true is this?",
  about: (version: string) =>
    `Everything below compares runs of engine ${version} with what real kernels printed and counted. No result is typed in by hand, and every disagreement is shown.`,
  notMade:
    "The comparison with real kernels has not been made yet. <code>npm start</code> makes it in about a minute after it starts to serve the page; this page then shows it without a reload. For a page on another host, <code>npm run build</code> includes it.",
} as const;

/** `TwinGenerations.tsx`: The pages in each generation of a captured run and of its twin. */
export const GENERATIONS = {
  title: (workload: string) => `Pages in each generation of ${workload}`,
  outcome: (near: number, large: number) =>
    `Just before the end, ${ofWords(near, large)} counts above 1,000 pages are within a factor of two.`,
  generation: "generation",
  type: "type",
  types: ["anon", "file"],
  /** "node 1, youngest", "node 0, youngest - 2". */
  name: (node: number, fromYoungest: number) =>
    `node ${node}, youngest${fromYoungest === 0 ? "" : ` \u2212 ${fromYoungest}`}`,
  beyond: "(beyond 2)",
} as const;

/** `Twins.tsx`: Captured runs of real kernels and their twins, counter by counter. */
export const TWINS = {
  runsOfRealKernelsRepeated: "Runs of real kernels, repeated",
  about: (many: number) =>
    `Unmodified kernels ran a workload under emulation while their counters were recorded. The engine runs the same machine and workload. Of the counters that changed by more than ${count(many)} in the real runs, <of/> come within a factor of 1.5 here.`,
  tracesAreNotCompared:
    "Traces are not compared here. The engine's tests check its trace output by counting it as the kernel's scripts do; the scripts themselves are not run for this page.",
  notRepeatedYet: "Not repeated yet",
  meanErrorOf: (counters: number) =>
    `The mean error of ${counted(counters, "counter")} is <share/>, and the median is <share2/>. The best published mean error of a simulator of Linux's page cache is 39 %.`,
  errorOfCounter: (many: number, absent: number) =>
    `The error of a counter is |simulated − real| / real, at most 100 %. Each counter of each run that changed by more than ${count(many)} counts once. Counters of mechanisms that the engine does not model are left out: ${count(absent)}.`,
  errorByKernel: "Error by kernel",
  kernel: "kernel",
  counters: "counters",
  meanError: "mean error",
  medianError: "median error",
  twin: (share: string, real: string, simulated: string, finished: boolean) =>
    `<of/> counters within a factor of 1.5; mean error ${share}; ${real === "" ? "" : `${real} s in the real run, `}${simulated} s here${!finished ? ", not finished" : ""}.`,
  allCountersOf: (workload: string) => `All counters of ${workload}`,
  assumed: (assumed: string) => `Assumed: ${assumed}.`,
  counter: "counter",
  real: "real",
  simulated: "simulated",
  ratio: "ratio",
  beyond: "(beyond 1.5)",
  absent: (absent: string) => `absent: ${absent}`,
} as const;

/** `Cgroups.tsx`: What the memory cgroups of a workload counted in both runs. */
export const CGROUPS = {
  caption: (of: string) =>
    `Memory cgroups: ${of} rows agree. Events must be equal, values above 1,000 within a factor of 1.5. Sizes are those just before the end.`,
  row: "cgroup and row",
  pages: "pages",
  differs: "(differs)",
} as const;
