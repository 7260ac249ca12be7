// Draws changes from a baseline on a logarithmic axis; the middle of the axis means "no change".

/** A bar from the middle of the axis. */
export interface ChangeBar {
  readonly x: number;
  readonly width: number;
  /** The side on which the bar is longer than the axis. */
  readonly beyond: "left" | "right" | null;
}

/** A value that was published or measured. */
const isKnown = (value: number | null): value is number => value !== null && !Number.isNaN(value);

/** The axis ends at this factor, and at its inverse. */
export const AXIS_ENDS = 8;
/** The least width of a bar that is not zero, px. */
const LEAST_PX = 1.5;

/**
 * The bar of a change on an axis `width` px wide; null if the change cannot be computed, because a
 * value is missing or the baseline is zero.
 */
export function changeBar(
  baseline: number | null,
  value: number | null,
  width: number,
): ChangeBar | null {
  if (!isKnown(baseline) || !isKnown(value) || baseline <= 0) return null;
  const half = width / 2;
  const part = value <= 0 ? -Infinity : Math.log(value / baseline) / Math.log(AXIS_ENDS);
  const length = Math.min(1, Math.abs(part)) * half;
  const drawn = part === 0 ? 0 : Math.max(LEAST_PX, length);
  const side = part < 0 ? "left" : "right";
  return {
    x: part < 0 ? half - drawn : half,
    width: drawn,
    beyond: Math.abs(part) > 1 ? side : null,
  };
}

const NARROW = "\u202f";
const MINUS = "\u2212";
/** A larger change is written as a factor. */
const MANY_TIMES = 10;

/** A change in words: "+374 %", "×13", "from 0", "same". */
export function changeWords(baseline: number | null, value: number | null): string {
  if (!isKnown(baseline) || !isKnown(value)) return "–";
  if (baseline === value) return "same";
  if (baseline === 0) return "from 0";
  if (value === 0) return "to 0";
  const times = value / baseline;
  if (times >= MANY_TIMES) return `×${NARROW}${times.toFixed(times < 100 ? 1 : 0)}`;
  const share = Math.abs(times - 1) * 100;
  if (share < 0.05) return `under 0.1${NARROW}%`;
  const digits = share >= 9.95 ? 0 : 1;
  return `${times < 1 ? MINUS : "+"}${share.toFixed(digits)}${NARROW}%`;
}
