// Names of values that can be read at a moment of a run, and statements about them. Claims and
// questions of lessons use them: "free@0/Normal <= low@0/Normal",
// "pgsteal_direct > 6 * pgsteal_kswapd".
//
//   a counter      its name in /proc/vmstat; 0 if the run has not counted it
//   free, min, low, high, managed, file, anon, writeback @ZONE     pages
//   orderN @ZONE                                        free blocks of that order, including those inside
//     larger free blocks: order6@0/Normal
//   blocks, largest @ZONE                               free blocks of all orders; pages of the largest one
//   unmovable @ZONE                                     pageblocks of the kernel's own pages
//   migrate_block, free_block @ZONE                     pageblocks of the two scanners of compaction now,
//     or at its last run; the zone's first is 0
//   blocks_came, blocks_failed                          requests for blocks, by programs that go on after a
//     failure: how many succeeded, how many failed
//   wakes, awake, priority @NODE                        of kswapd; the priority is the last one while it runs
//   max_seq, min_seq @NODE                              numbers of the youngest generation and of the oldest
//     one with file pages; 0 while the multi-generational LRU is off
//   generationN, refaultedN @NODE                       file pages in generation N; recorded refaults of file
//     tier N, in the present oldest generation and on average before; 0 while the LRU is off
//   current, cache, active_file @CGROUP                 pages charged to the memory cgroup; of these the file
//     pages, and those on its active file list
//   scanned, stolen, high_events, max_events, kills @CGROUP   its counts since the beginning
//   pages@TASK                                          pages that the task has mapped
//   rounds@NAME                                         finished rounds that programs time under that name
//   together@PROGRAM                                    most threads of the program on one node
//   local_percent                                       of all bytes moved between memory and CPUs, the share
//     between a node's memory and its own CPUs; 0 if memory has no rates, or nothing was moved
//   waits, at_once, to_timer, most_us, timeout_us @QUEUE     of waiting reclaimers, on all nodes: how many
//     waits ended, how many of them within a tick, how many by their timer or later, how long the
//     longest took; and the length of the timer.
//     A queue is named by its kind ("writeback", "wait_iff_congested"); 0 if the kernel does not have it
//   gate, limit @QUEUE                                  the two numbers that its gate compares, on node 0
//   nr_dirty, nr_writeback                              dirty file pages, pages being written
//   nr_dirty_threshold, nr_dirty_background_threshold   the two dirty limits, in pages
//   longest_us@NAME                                     the longest round that programs time under that
//     name, rounded down to three binary digits; 0 until one has ended
//   us                                                  virtual time

import { endsOf, waitsIn } from "../draw/queues";
import { STATES } from "../draw/states";
import type {
  GenerationsView,
  GroupView,
  QueueKind,
  QueueView,
  View,
  ZoneView,
} from "../engine/types";

const statePages = (zone: ZoneView, tokens: readonly string[]) =>
  STATES.reduce(
    (sum, { token }, state) => sum + (tokens.includes(token) ? (zone.states[state] ?? 0) : 0),
    0,
  );

/** The kernel's MIGRATE_UNMOVABLE. */
const UNMOVABLE = 0;

const ZONE_READINGS: Readonly<Record<string, (zone: ZoneView) => number>> = {
  free: (zone) => zone.free,
  min: (zone) => zone.min,
  low: (zone) => zone.low,
  high: (zone) => zone.high,
  managed: (zone) => zone.managed,
  file: (zone) => statePages(zone, ["file-active", "file-inactive"]),
  anon: (zone) => statePages(zone, ["anon-active", "anon-inactive"]),
  writeback: (zone) => statePages(zone, ["writeback"]),
  unmovable: ({ blocks }) => blocks[UNMOVABLE] ?? 0,
  blocks: ({ nr_free }) => nr_free.reduce((sum, blocks) => sum + blocks, 0),
  largest: ({ nr_free }) =>
    nr_free.reduce((most, blocks, order) => (blocks > 0 ? 2 ** order : most), 0),
};

type CompactRunView = NonNullable<View["pageblocks"][number]["run"]>;

const SCANNER_READINGS: Readonly<Record<string, (run: CompactRunView) => number>> = {
  migrate_block: ({ migrate_pfn }) => migrate_pfn,
  free_block: ({ free_pfn }) => free_pfn,
};

/** Free blocks of an order, including those inside larger free blocks. */
const blocksOf = ({ nr_free }: ZoneView, order: number) =>
  nr_free.reduce(
    (sum, blocks, each) => (each < order ? sum : sum + blocks * 2 ** (each - order)),
    0,
  );

const QUEUES: Readonly<Record<QueueKind, true>> = {
  writeback: true,
  isolated: true,
  noprogress: true,
  congested: true,
  congestion_wait: true,
  wait_iff_congested: true,
  isolated_sleep: true,
  retry_wait: true,
};

const QUEUE_READINGS: Readonly<Record<string, (queue: QueueView) => number>> = {
  waits: ({ delays }) => waitsIn(delays),
  at_once: ({ delays, timeout_us }) => endsOf(delays, timeout_us).none,
  to_timer: ({ delays, timeout_us }) => endsOf(delays, timeout_us).whole,
  timeout_us: ({ timeout_us }) => timeout_us,
  most_us: ({ delays }) => Math.max(0, ...delays.map(([us]) => us)),
  gate: ({ gate }) => gate?.value ?? 0,
  limit: ({ gate }) => gate?.against ?? 0,
};

/** The type of file pages, in the order of the kernel. */
const FILE = 1;

const GENERATION_READINGS: Readonly<Record<string, (owner: GenerationsView) => number>> = {
  max_seq: ({ max_seq }) => max_seq,
  min_seq: ({ min_seq }) => min_seq[FILE] ?? 0,
};

const NUMBERED_READINGS: Readonly<Record<string, (owner: GenerationsView, n: number) => number>> = {
  generation: ({ generations }, seq) =>
    generations.find((each) => each.seq === seq)?.pages[FILE] ?? 0,
  refaulted: ({ tiers }, tier) => {
    const counted = tiers[FILE]?.[tier];
    return counted ? counted.refaulted + counted.avg_refaulted : 0;
  },
};

/** Returns how to read a value of generations; undefined if there is none of that name. */
function generationReading(what: string): ((owner: GenerationsView) => number) | undefined {
  const [, name = "", n] = /^([a-z]+)(\d)$/.exec(what) ?? [];
  const numbered = NUMBERED_READINGS[name];
  return numbered ? (owner) => numbered(owner, Number(n)) : GENERATION_READINGS[what];
}

/** The active file list among the lists of a cgroup. */
const ACTIVE_FILE = 3;

const GROUP_READINGS: Readonly<Record<string, (group: GroupView) => number>> = {
  current: ({ usage }) => usage,
  cache: ({ file }) => file,
  active_file: ({ lists }) => lists[ACTIVE_FILE] ?? 0,
  scanned: ({ scanned }) => scanned,
  stolen: ({ stolen }) => stolen,
  high_events: ({ events }) => events.high,
  max_events: ({ events }) => events.max,
  kills: ({ events }) => events.oom_kill,
};

const ROUNDS_READINGS: Readonly<Record<string, (timed: View["rounds"][number]) => number>> = {
  rounds: ({ took }) => took.reduce((sum, [, rounds]) => sum + rounds, 0),
  longest_us: ({ took }) => (took.at(-1)?.[0] ?? 0) / 1000,
};

/** The share of bytes that were moved within a node, in percent. */
function localPercent({ nodes }: View): number {
  const moved = nodes.map(({ memory }) => memory?.bytes ?? []);
  const local = moved.reduce((sum, bytes, node) => sum + (bytes[node] ?? 0), 0);
  const all = moved.flat().reduce((sum, bytes) => sum + bytes, 0);
  return all === 0 ? 0 : (100 * local) / all;
}

/** The largest number of a program's threads on one node; null if the program has no threads. */
function togetherOf({ tasks }: View, program: string): number | null {
  const nodes = new Map<number, number>();
  for (const { name, node, state } of tasks) {
    if (state === "exited" || !name.startsWith(`${program}/`)) continue;
    nodes.set(node, (nodes.get(node) ?? 0) + 1);
  }
  return nodes.size === 0 ? null : Math.max(...nodes.values());
}

/** Values of the whole machine that the view contains in addition to its counters. */
const OWN_READINGS: Readonly<Record<string, (view: View) => number>> = {
  nr_dirty: ({ writeback }) => writeback.dirty,
  nr_writeback: ({ writeback }) => writeback.writeback,
  nr_dirty_threshold: ({ writeback }) => writeback.limit,
  nr_dirty_background_threshold: ({ writeback }) => writeback.background,
  us: ({ position }) => position.time_ns / 1000,
  blocks_came: ({ blocks_came }) => blocks_came,
  blocks_failed: ({ blocks_failed }) => blocks_failed,
  local_percent: localPercent,
};

const COUNTER = /^[a-z][a-z0-9_]*$/;

/** A number of the whole machine: a gauge of the view, or a counter; 0 if nothing was counted. */
export const machineReading = (view: View, name: string): number =>
  OWN_READINGS[name]?.(view) ?? view.counters.find(([counter]) => counter === name)?.[1] ?? 0;

/** The value of a reading at a moment. Throws if there is no reading of that name. */
export function reading(view: View, name: string): number {
  const [what = "", whose] = name.split("@");
  if (whose === undefined) {
    if (!COUNTER.test(what)) throw new Error(`"${name}" is no counter`);
    return machineReading(view, what);
  }
  const zone = view.zones.find(({ key }) => key === whose);
  const ofZone = ZONE_READINGS[what];
  if (zone && ofZone) return ofZone(zone);
  const [, order] = /^order(\d+)$/.exec(what) ?? [];
  if (zone && order !== undefined) return blocksOf(zone, Number(order));
  const run = view.pageblocks.find((each) => each.zone === whose)?.run;
  const ofScanner = SCANNER_READINGS[what];
  if (zone && run && ofScanner) return blockAt(zone, ofScanner(run));
  const ofQueue = QUEUE_READINGS[what];
  if (ofQueue && Object.hasOwn(QUEUES, whose)) {
    // Waits are counted for the whole machine, and every node's queue has the same counts.
    const queue = view.nodes[0]?.queues.find(({ kind }) => kind === whose);
    return queue ? ofQueue(queue) : 0;
  }
  const node = view.nodes.find(({ id }) => String(id) === whose);
  const ofGenerations = generationReading(what);
  if (node && ofGenerations) {
    const owner = view.generations.find(({ key }) => key === whose);
    return owner ? ofGenerations(owner) : 0;
  }
  if (node && what === "wakes") return node.kswapd_wakes;
  if (node && what === "awake") return Number(node.kswapd_awake);
  const kswapd = view.reclaimers.find((each) => each.kswapd && each.node === node?.id);
  if (kswapd && what === "priority") return kswapd.priority;
  const group = view.groups.find(({ name }) => name === whose);
  const ofGroup = GROUP_READINGS[what];
  if (group && ofGroup) return ofGroup(group);
  const task = view.tasks.find((each) => each.name === whose);
  if (task && what === "pages") return task.rss;
  const ofRounds = ROUNDS_READINGS[what];
  const timed = view.rounds.find((each) => each.name === whose);
  if (timed && ofRounds) return ofRounds(timed);
  const together = what === "together" ? togetherOf(view, whose) : null;
  if (together !== null) return together;
  throw new Error(`there is no "${name}"`);
}

/**
 * The pageblock of a page, counted from the zone's first. All blocks of a zone have the same size.
 */
function blockAt({ start_pfn, spanned, blocks }: ZoneView, pfn: number): number {
  const all = blocks.reduce((sum, each) => sum + each, 0);
  return Math.floor((pfn - start_pfn) / Math.round(spanned / all));
}

type Comparison = (left: number, right: number) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  "=": (left, right) => left === right,
  ">=": (left, right) => left >= right,
  ">": (left, right) => left > right,
};

/** A parsed statement. */
export interface Statement {
  readonly left: readonly Term[];
  readonly comparison: string;
  readonly right: readonly Term[];
}

interface Term {
  readonly factor: number;
  /** Null for a plain number. */
  readonly name: string | null;
}

/** Parses a statement, or throws an error that describes the fault. */
export function parseStatement(text: string): Statement {
  const sides = text.split(/\s(<=|>=|<|>|=)\s/);
  const [left, comparison, right] = sides;
  if (left === undefined || comparison === undefined || right === undefined || sides.length > 3) {
    throw new Error(`"${text}" does not compare two sides`);
  }
  return { left: parseSum(left), comparison, right: parseSum(right) };
}

const parseSum = (text: string): Term[] => text.split(/\s\+\s/).map(parseTerm);

function parseTerm(text: string): Term {
  const [, factor, name] = /^(?:([\d.]+)\s\*\s)?(\S+)$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Error(`"${text}" is no term`);
  const times = factor === undefined ? 1 : Number(factor);
  if (/^[\d.]+$/.test(name)) return { factor: times * Number(name), name: null };
  return { factor: times, name };
}

/** The names in a statement. */
export const namesIn = ({ left, right }: Statement): string[] =>
  [...left, ...right].flatMap(({ name }) => (name === null ? [] : [name]));

/** Returns the value of a name. */
export type Read = (name: string) => number;

/** Readings of one moment. */
export const readAt =
  (view: View): Read =>
  (name) =>
    reading(view, name);

/** Readings of several moments, each with the moment's name before a colon: "3.0:allocstall". */
export const readOf =
  (views: Readonly<Record<string, View>>): Read =>
  (name) => {
    const [whose = "", what] = name.split(":");
    const view = views[whose];
    if (what === undefined || !view) throw new Error(`"${name}" names no run`);
    return reading(view, what);
  };

/** Is a statement true? */
export function isTrue(read: Read, text: string): boolean {
  const { left, comparison, right } = parseStatement(text);
  const sum = (terms: readonly Term[]) =>
    terms.reduce((all, { factor, name }) => all + factor * (name === null ? 1 : read(name)), 0);
  const compare = COMPARISONS[comparison];
  if (!compare) throw new Error(`${comparison} compares nothing`);
  return compare(sum(left), sum(right));
}

/** Is a statement true at a moment? */
export const holds = (view: View, text: string): boolean => isTrue(readAt(view), text);

/** A part of a text: words, or a placeholder for a number with its noun. */
export type Piece =
  | { readonly kind: "words"; readonly words: string }
  | { readonly kind: "place"; readonly name: string; readonly noun: string };

/** Splits a text at its placeholders: "{pgsteal_direct page}". */
export const piecesOf = (text: string): Piece[] =>
  text.split(/\{([^}]+)\}/).map((part, i) => {
    if (i % 2 === 0) return { kind: "words", words: part };
    const [name = "", ...noun] = part.split(" ");
    return { kind: "place", name, noun: noun.join(" ") };
  });

/** The text for a placeholder: "1 page", "2,048 pages", "12". */
export function numberIn(
  { name, noun }: Extract<Piece, { kind: "place" }>,
  read: Read,
  count: (value: number) => string,
): string {
  const value = Math.round(read(name));
  if (noun === "") return count(value);
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
