// How latencies lie: bars on a logarithmic axis of time, one for each class of lengths.

/** How many took how long, ns. */
export type Latencies = readonly (readonly [ns: number, count: number])[];

/** A bar of latencies of one class. */
export interface LatencyBar {
  readonly x: number;
  readonly width: number;
  readonly height: number;
  /** From where to where it counts, ns, and how many. */
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

/** Classes between a power of ten and the next. */
const CLASSES = 6;
const LEAST_PX = 2;

/** The powers of ten all of some latencies lie between; none where there is none. */
export function decadesOf(all: readonly Latencies[]): Decades | null {
  const ns = all.flat().flatMap(([each, count]) => (count > 0 ? [Math.max(1, each)] : []));
  if (ns.length === 0) return null;
  const from = Math.floor(Math.log10(Math.min(...ns)));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(Math.max(...ns) + 1)))];
}

/** Bars of latencies in a box; the highest is as high as the box. */
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

/** The powers of ten of an axis. */
export const latencyTicks = ([from, to]: Decades, width: number): LatencyTick[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    x: (i / (to - from)) * width,
    ns: 10 ** (from + i),
  }));

/** How many there are. */
export const countOf = (latencies: Latencies): number =>
  latencies.reduce((sum, [, count]) => sum + count, 0);

/** Half took no longer, ns; none where there is none. */
export function medianOf(latencies: Latencies): number | null {
  const half = countOf(latencies) / 2;
  let below = 0;
  for (const [ns, count] of [...latencies].sort(([a], [b]) => a - b)) {
    below += count;
    if (below >= half) return ns;
  }
  return null;
}
