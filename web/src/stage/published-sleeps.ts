// The published lengths of waits, by queue; loaded after the first figure.

import type { Sleeps } from "../draw/queues";
import { once } from "../engine/once";
import type { QueueKind } from "../engine/types";
import { afterFirstFigure } from "../ui/first-figure";

/** The fields of the figures file that are used here; `lessons/schema` checks the whole file. */
interface Filed {
  readonly delays: {
    readonly vanilla: Readonly<Record<"wait_iff_congested" | "congestion_wait", Histogram>>;
    readonly direct: {
      readonly breakdown: readonly { readonly reason: string; readonly histogram: Histogram }[];
    };
  };
}

type Histogram = readonly { readonly delayed_us: number; readonly count: number }[];

/** The published waits of each queue that has some. */
export type PublishedSleeps = Readonly<Partial<Record<QueueKind, Sleeps>>>;

const file = import.meta.glob<Filed>("../../../lessons/figures/reclaim-throttle.json", {
  import: "default",
});

const sleepsOf = (histogram: Histogram): Sleeps =>
  histogram.map(({ delayed_us, count }) => [delayed_us, count] as const);

const loaded = once(() => afterFirstFigure(load));

/** Loads them; empty if that fails. */
export const publishedSleeps = (): Promise<PublishedSleeps> => loaded().catch(() => ({}));

async function load(): Promise<PublishedSleeps> {
  const [filed] = await Promise.all(Object.values(file).map((get) => get()));
  if (!filed) return {};
  const { vanilla, direct } = filed.delays;
  const of = (reason: string) =>
    sleepsOf(direct.breakdown.find((each) => each.reason === reason)?.histogram ?? []);
  return {
    writeback: of("WRITEBACK"),
    isolated: of("ISOLATED"),
    congestion_wait: sleepsOf(vanilla.congestion_wait),
    wait_iff_congested: sleepsOf(vanilla.wait_iff_congested),
  };
}
