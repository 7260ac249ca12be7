// Histograms of the waits of reclaimers, those of one kind of all kernels side by side.

import type { RunReport } from "../../engine/report";

/** Waits of one kind. */
export interface Delayed {
  readonly id: string;
  /** What was waited in or for, as the kernel calls it. */
  readonly what: string;
  /** Who waited. */
  readonly who: string;
  readonly timeout_ms: number;
  /** What its counts are of. */
  readonly bins: readonly string[];
  readonly kernels: readonly {
    readonly kernel: string;
    /** By bin. */
    readonly counts: readonly number[];
    readonly events: number;
    /** All of them together, s. */
    readonly sum_s: number;
  }[];
}

/** The waits of the kernels that have run, kind by kind; a kernel without any of a kind has zeros. */
export function delaysOf(
  kernels: readonly string[],
  results: Readonly<Record<string, Pick<RunReport, "delays">>>,
): readonly Delayed[] {
  const ran = kernels.filter((kernel) => results[kernel]);
  const histogram = (kernel: string, id: string) =>
    results[kernel]?.delays.find((each) => idOf(each) === id);
  const firsts = new Map(
    ran.flatMap((kernel) => results[kernel]?.delays ?? []).map((each) => [idOf(each), each]),
  );
  return [...firsts].map(([id, { what, kswapd, timeout_us, tick_us }]) => ({
    id,
    what,
    who: kswapd ? "kswapd" : "direct reclaim",
    timeout_ms: timeout_us / 1000,
    bins: ["not at all", `1 tick (${tick_us / 1000} ms)`, "2 or 3", "longer", "the timeout"],
    kernels: ran.map((kernel) => {
      const { coarse = [0, 0, 0, 0, 0], bins = [] } = histogram(kernel, id) ?? {};
      return {
        kernel,
        counts: coarse,
        events: coarse.reduce((sum, many) => sum + many, 0),
        sum_s: bins.reduce((sum, [us, many]) => sum + us * many, 0) / 1e6,
      };
    }),
  }));
}

const idOf = ({ what, kswapd, timeout_us }: RunReport["delays"][number]): string =>
  `${what} ${kswapd} ${timeout_us}`;
