// The distribution of latencies: bars on a logarithmic time axis, one for each class of lengths.

/** Latencies in ns, with the number of occurrences of each. */
export type Latencies = readonly (readonly [ns: number, count: number])[];

/** A bar of latencies of one class. */
export interface LatencyBar {
  readonly x: number;
  readonly width: number;
  readonly height: number;
  /** The range of latencies that the bar counts, ns, and the count. */
  readonly from_ns: number;
  readonly to_ns: number;
  readonly count: number;
}

/** A power of ten on the axis. */
export interface LatencyTick {
  readonly x: number;
  readonly ns: number;
}

/** The span of an axis: powers of ten, ns. */
export type Decades = readonly [from: number, to: number];

/** Classes in each power of ten. */
const CLASSES = 6;
const LEAST_PX = 2;

/** The powers of ten that enclose all given latencies; null if there are none. */
export function decadesOf(all: readonly Latencies[]): Decades | null {
  const ns = all.flat().flatMap(([each, count]) => (count > 0 ? [Math.max(1, each)] : []));
  if (ns.length === 0) return null;
  const from = Math.floor(Math.log10(Math.min(...ns)));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(Math.max(...ns) + 1)))];
}

/** The bars of latencies in a box; the highest fills its height. */
export function latencyBars(
  latencies: Latencies,
  [from, to]: Decades,
  { width, height, most }: { width: number; height: number; most?: number },
): LatencyBar[] {
  const classes = (to - from) * CLASSES;
  const counts = new Map<number, number>();
  for (const [ns, count] of latencies) {
    const at = Math.floor((Math.log10(Math.max(1, ns)) - from) * CLASSES);
    const place = Math.min(classes - 1, Math.max(0, at));
    counts.set(place, (counts.get(place) ?? 0) + count);
  }
  const highest = Math.max(1, most ?? 0, ...counts.values());
  const bar_px = width / classes;
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([at, count]) => ({
      x: at * bar_px,
      width: Math.max(1, bar_px - 1),
      height: Math.max(LEAST_PX, (count / highest) * height),
      from_ns: 10 ** (from + at / CLASSES),
      to_ns: 10 ** (from + (at + 1) / CLASSES),
      count,
    }));
}

/** The ticks of an axis, at powers of ten. */
export const latencyTicks = ([from, to]: Decades, width: number): LatencyTick[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    x: (i / (to - from)) * width,
    ns: 10 ** (from + i),
  }));

/** The number of latencies. */
export const countOf = (latencies: Latencies): number =>
  latencies.reduce((sum, [, count]) => sum + count, 0);

/** The median, ns; null if there are no latencies. */
export function medianOf(latencies: Latencies): number | null {
  const half = countOf(latencies) / 2;
  let below = 0;
  for (const [ns, count] of [...latencies].sort(([a], [b]) => a - b)) {
    below += count;
    if (below >= half) return ns;
  }
  return null;
}
