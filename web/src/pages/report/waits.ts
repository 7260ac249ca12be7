// Histograms of reclaimers' waits. Waits of one kind of all kernels are side by side, with
// published waits next to simulated waits.

import type { Histogram, RunReport } from "../../engine/report";
import type { PublishedDelays } from "../../lessons/publications";

/** Delays, µs, each with its count. */
export type Bins = Histogram["bins"];

/** The waits of one kind, published or simulated. */
interface Waited {
  /** By bin. */
  readonly counts: readonly number[];
  readonly events: number;
  /** The sum of all waits, s. */
  readonly sum_s: number;
  readonly bins: Bins;
}

/** Waits of one kind. */
export interface Delayed {
  readonly id: string;
  /** The function or reason of the wait, in the kernel's words. */
  readonly what: string;
  /** The waiting tasks. */
  readonly who: string;
  readonly timeout_ms: number;
  /** Names of the bins. */
  readonly bins: readonly string[];
  readonly kernels: readonly {
    readonly kernel: string;
    /** Null if no waits of this kind were published for this kernel. */
    readonly published: Waited | null;
    /** Null if the kernel has not run. */
    readonly simulated: Waited | null;
  }[];
}

/** The published machine's tick. */
const PUBLISHED_TICK_US = 4000;

/**
 * The waits of all kernels that have run or were published, kind by kind. A kernel that ran without
 * waits of a kind has zeros.
 */
export function delaysOf(
  kernels: readonly string[],
  results: Readonly<Record<string, Pick<RunReport, "delays">>>,
  published?: PublishedDelays | undefined,
): readonly Delayed[] {
  const tables = published ? publishedOf(published) : [];
  const tablesOf = kernels.map((_, i) => tables[i] ?? []);
  const visible = kernels.filter((kernel, i) => results[kernel] || tablesOf[i]?.length);
  const all = [...kernels.flatMap((kernel) => results[kernel]?.delays ?? []), ...tables.flat()];
  const firsts = new Map<string, Histogram>();
  for (const each of all) if (!firsts.has(idOf(each))) firsts.set(idOf(each), each);
  return [...firsts].map(([id, { what, kswapd, timeout_us, tick_us }]) => ({
    id,
    what,
    who: kswapd ? "kswapd" : "direct reclaim",
    timeout_ms: timeout_us / 1000,
    bins: ["none", `1 tick (${tick_us / 1000} ms)`, "2 or 3 ticks", "longer", "timeout"],
    kernels: visible.map((kernel) => ({
      kernel,
      published: waitedOf(tablesOf[kernels.indexOf(kernel)]?.find((each) => idOf(each) === id)),
      simulated: results[kernel]
        ? (waitedOf(results[kernel].delays.find((each) => idOf(each) === id)) ?? NONE)
        : null,
    })),
  }));
}

const NONE: Waited = { counts: [0, 0, 0, 0, 0], events: 0, sum_s: 0, bins: [] };

function waitedOf(histogram: Histogram | undefined): Waited | null {
  if (!histogram) return null;
  const { coarse, bins } = histogram;
  return {
    counts: coarse,
    events: coarse.reduce((sum, many) => sum + many, 0),
    sum_s: bins.reduce((sum, [us, many]) => sum + us * many, 0) / 1e6,
    bins,
  };
}

/** Published histograms of the baseline and of the patched kernel. */
function publishedOf({ vanilla, direct }: PublishedDelays): readonly (readonly Histogram[])[] {
  const histogram = (
    what: string,
    kswapd: boolean,
    timeout_us: number,
    lines: readonly { readonly delayed_us: number; readonly count: number }[],
  ): Histogram => {
    const bins = lines.map(({ delayed_us, count }) => [delayed_us, count] as const);
    const tick_us = PUBLISHED_TICK_US;
    return { what, kswapd, tick_us, timeout_us, bins, coarse: coarseOf(bins, timeout_us) };
  };
  return [
    [
      histogram("wait_iff_congested", false, vanilla.timeout_us, vanilla.wait_iff_congested),
      // kswapd calls it when it meets pages again that are still under writeback.
      histogram("congestion_wait", true, vanilla.timeout_us, vanilla.congestion_wait),
    ],
    direct.breakdown.map(({ reason, timeout_us, histogram: lines }) =>
      histogram(`VMSCAN_THROTTLE_${reason}`, false, timeout_us, lines),
    ),
  ];
}

/**
 * Counts of no delay, one tick, two or three ticks, more up to the timeout, and the timeout or
 * longer.
 */
function coarseOf(bins: Bins, timeout_us: number): readonly number[] {
  const counts = [0, 0, 0, 0, 0];
  for (const [us, many] of bins) {
    const ticks = us / PUBLISHED_TICK_US;
    const bin = ticks < 1 ? 0 : us >= timeout_us ? 4 : ticks < 2 ? 1 : ticks < 4 ? 2 : 3;
    counts[bin] = (counts[bin] ?? 0) + many;
  }
  return counts;
}

/** Delays in the format of the mail: `82394 delayed=0`, the most frequent last. */
export const mailLines = (bins: Bins): readonly string[] =>
  [...bins]
    .sort(([a_us, a], [b_us, b]) => a - b || a_us - b_us)
    .map(([us, many]) => `${many} delayed=${us}`);

const idOf = ({
  what,
  kswapd,
  timeout_us,
}: Pick<Histogram, "what" | "kswapd" | "timeout_us">): string => `${what} ${kswapd} ${timeout_us}`;
