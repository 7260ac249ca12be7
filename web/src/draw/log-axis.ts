// One logarithmic axis for values that lie orders of magnitude apart.

/** A tick at a power of ten. */
interface LogTick {
  readonly value: number;
  readonly x: number;
}

/** An axis from one power of ten to another. */
export interface LogAxis {
  readonly ticks: readonly LogTick[];
  /** Where a value stands; null for what has no logarithm. */
  readonly place: (value: number | null) => number | null;
}

/** The axis all of some values fit on, `width` px long; null where there is none to place. */
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
