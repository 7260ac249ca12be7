// The charts next to the queues of throttled reclaimers: gates as bars, and lengths of sleeps as
// bars on a log scale, upwards for this run, downwards for published ones.

import type { GateView, QueueKind } from "../engine/types";

/** Lengths of waits in us, with the number of waits of each length. */
export type Sleeps = readonly (readonly [delayed_us: number, count: number])[];

/** A bar of sleeps of one length. */
interface SleepBar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The bar is at an end of the scale: no sleep at all, or a sleep until the timeout. */
  readonly isEnd: boolean;
}

/** Both kinds of bars, above and below one axis. */
export interface SleepBars {
  readonly here: readonly SleepBar[];
  readonly published: readonly SleepBar[];
  /** Height of the axis. */
  readonly axis_y: number;
  /** The value at the right end, us. */
  readonly most_us: number;
}

/** The height of the bar for a single sleep. */
const LEAST_PX = 2;
/** A count ten times as large is one step higher; six decades fill the height. */
const DECADES = 6;
const MOST_BARS = 60;
const GAP_PX = 1;

/**
 * The bars of sleeps between 0 and the longest in a box. Lengths within one pixel share a bar, so
 * many ticks are merged.
 */
export function sleepBars(
  here: Sleeps,
  published: Sleeps,
  timeout_us: number,
  { width, height }: { readonly width: number; readonly height: number },
): SleepBars {
  const most_us = Math.max(timeout_us, 1, ...[...here, ...published].map(([us]) => us));
  const hasBelow = published.length > 0;
  const axis_y = hasBelow ? Math.round(height / 2) : height - 1;
  const bins = Math.min(MOST_BARS, Math.floor(width / 4));
  const bar_px = width / (bins + 1);
  const bars = (sleeps: Sleeps, isUp: boolean): SleepBar[] => {
    const counts = new Map<number, { count: number; isEnd: boolean }>();
    for (const [us, count] of sleeps) {
      const bin = Math.round((us / most_us) * bins);
      const known = counts.get(bin);
      const isEnd = us === 0 || us >= timeout_us;
      counts.set(bin, {
        count: (known?.count ?? 0) + count,
        isEnd: isEnd || (known?.isEnd ?? false),
      });
    }
    const room = isUp ? axis_y : height - axis_y - 1;
    return [...counts].map(([bin, { count, isEnd }]) => {
      const high = Math.min(
        room,
        Math.round(LEAST_PX + (Math.log10(count) / DECADES) * (room - LEAST_PX)),
      );
      return {
        x: bin * bar_px,
        y: isUp ? axis_y - high : axis_y + 1,
        width: Math.max(1, bar_px - GAP_PX),
        height: high,
        isEnd,
      };
    });
  };
  return { here: bars(here, true), published: bars(published, false), axis_y, most_us };
}

/** A gate as a bar: how far it is filled, and where the compared value is. */
export interface GateBar {
  readonly filled: number;
  readonly mark: number;
}

/** The bar's scale relative to the larger of both numbers. */
const BEYOND = 1.25;

/** Both numbers of a gate as shares of one bar. */
export function gateBar({ value, against }: Pick<GateView, "value" | "against">): GateBar {
  const whole = Math.max(1, value, against) * BEYOND;
  return { filled: value / whole, mark: against / whole };
}

/** Whether the gate would release its waiters if the kernel checked the gate now. */
export const isOpen = (kind: QueueKind, { value, against }: GateView): boolean => {
  switch (kind) {
    case "writeback":
    case "noprogress":
      return value > against;
    case "isolated":
      return value <= against;
    // The kernel does not check the gate.
    case "isolated_sleep":
    case "congested":
    case "congestion_wait":
    case "wait_iff_congested":
    case "retry_wait":
      return false;
  }
};

/** The total number of waits. */
export const waitsIn = (sleeps: Sleeps): number =>
  sleeps.reduce((sum, [, count]) => sum + count, 0);

/** How many waits took no tick, and how many took the whole timeout. */
export const endsOf = (sleeps: Sleeps, timeout_us: number) => ({
  none: waitsIn(sleeps.filter(([us]) => us === 0)),
  whole: waitsIn(sleeps.filter(([us]) => us >= timeout_us)),
});
