// A logarithmic axis for values that differ by orders of magnitude.

/** A tick at a power of ten. */
interface LogTick {
  readonly value: number;
  readonly x: number;
}

/** An axis from one power of ten to another. */
export interface LogAxis {
  readonly ticks: readonly LogTick[];
  /** The position of a value; null for a value without a logarithm. */
  readonly place: (value: number | null) => number | null;
}

/** The axis for some values, `width` px long; null if no value can be placed. */
export function logAxis(values: readonly (number | null)[], width: number): LogAxis | null {
  const logs = values.flatMap((value) => (value !== null && value > 0 ? [Math.log10(value)] : []));
  if (logs.length === 0) return null;
  const from = Math.floor(Math.min(...logs));
  const to = Math.max(from + 1, Math.ceil(Math.max(...logs)));
  const at = (log: number) => ((log - from) / (to - from)) * width;
  return {
    ticks: Array.from({ length: to - from + 1 }, (_, i) => ({
      value: 10 ** (from + i),
      x: at(from + i),
    })),
    place: (value) => (value !== null && value > 0 ? at(Math.log10(value)) : null),
  };
}
