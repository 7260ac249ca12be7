// The layout of the timeline: rows from top to bottom, time from left to right.

/** Room left of the chart, for names, and right of it. */
export const LEFT_PX = 148;
export const RIGHT_PX = 16;
/** The timeline's heading, above everything else. */
export const HEAD_PX = 24;
/** The row of times, above the lanes; ranges are drawn there. */
export const AXIS_PX = 16;
/** The strip of the whole run, below the lanes. */
export const STRIP_PX = 14;
/** The height of a task's lane and of a counter's. */
export const LANE_PX = 13;
const TRACK_PX = 30;
/** The line that shows how many lanes are folded. */
export const MORE_PX = 17;
/** In lower lanes the numbers of zones would overlap. */
export const LEAST_ZONE_PX = 14;
const MOST_ZONE_PX = 60;

/** A row of the chart. */
export interface ChartRow {
  readonly top: number;
  readonly bottom: number;
}

/** All rows of a chart. */
export interface ChartRows {
  readonly tasks: readonly ChartRow[];
  readonly zones: readonly ChartRow[];
  readonly tracks: readonly ChartRow[];
  /** Below the last row. */
  readonly end: number;
  /** Height of the whole drawing. */
  readonly height: number;
}

/** The numbers of rows. */
interface Counts {
  readonly tasks: number;
  readonly zones: number;
  readonly tracks: number;
  /** A line below them shows how many more there are. */
  readonly hasMore?: boolean;
}

const belowPx = (hasStrip: boolean) => (hasStrip ? STRIP_PX + 12 : 4);

/** The minimum height in which all rows are visible. */
export const leastPx = (
  { tasks, zones, tracks, hasMore = false }: Counts,
  hasStrip: boolean,
): number =>
  AXIS_PX +
  tasks * LANE_PX +
  (hasMore ? MORE_PX : 0) +
  zones * LEAST_ZONE_PX +
  tracks * TRACK_PX +
  belowPx(hasStrip);

/**
 * Lays out the rows within a height; if the height is too small for them, the drawing is higher.
 */
export function rowsIn(height: number, counts: Counts, hasStrip: boolean): ChartRows {
  const below = belowPx(hasStrip);
  const left = (height - leastPx({ ...counts, zones: 0 }, hasStrip)) / Math.max(1, counts.zones);
  const zone = Math.max(LEAST_ZONE_PX, Math.min(MOST_ZONE_PX, left));
  let at = AXIS_PX;
  const row = (size: number) => {
    const top = at;
    at += size;
    return { top, bottom: at };
  };
  const tasks = Array.from({ length: counts.tasks }, () => row(LANE_PX));
  const zones = Array.from({ length: counts.zones }, () => row(zone));
  const tracks = Array.from({ length: counts.tracks }, () => row(TRACK_PX));
  if (counts.hasMore) row(MORE_PX);
  return { tasks, zones, tracks, end: at, height: Math.max(height, at + below) };
}

/** Converts times to positions and positions to times. */
export interface Scale {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly left: number;
  readonly right: number;
  readonly x: (time_ns: number) => number;
  /** The same, clamped to the chart. */
  readonly within: (time_ns: number) => number;
  readonly time: (x: number) => number;
}

/** The scale for a part of the time over a width. */
export function scaleOf(from_ns: number, to_ns: number, left: number, right: number): Scale {
  const length_ns = Math.max(1, to_ns - from_ns);
  const width = Math.max(1, right - left);
  const x = (time_ns: number) => left + ((time_ns - from_ns) / length_ns) * width;
  return {
    from_ns,
    to_ns,
    left,
    right,
    x,
    within: (time_ns) => Math.max(left, Math.min(right, x(time_ns))),
    time: (x) => from_ns + ((x - left) / width) * length_ns,
  };
}

/** A part of the time, zoomed by a factor around a moment, within what is known. */
export function zoomed(
  [from_ns, to_ns]: readonly [number, number],
  about_ns: number,
  by: number,
  known_ns: number,
): [number, number] | null {
  const length_ns = Math.max(LEAST_WINDOW_NS, (to_ns - from_ns) * by);
  if (length_ns >= known_ns) return null;
  const share = (about_ns - from_ns) / Math.max(1, to_ns - from_ns);
  const begin = Math.max(0, Math.min(known_ns - length_ns, about_ns - share * length_ns));
  return [Math.round(begin), Math.round(begin + length_ns)];
}

/** The shortest window, ns: nothing happens in a shorter time. */
const LEAST_WINDOW_NS = 1000;
