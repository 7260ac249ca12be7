// Types for the rows of a benchmark's report and for their agreement with a published table. The
// engine computes both.

/** The function of the engine that a report needs in addition to its rows. */
export type Reporter = Pick<typeof import("./pkg/mmscope"), "score_table">;

/** One row of a run's report. */
interface ReportRow {
  /** The published name: "Direct pages scanned". */
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
}

/** How long reclaimers of one kind were throttled, in ticks. */
export interface Histogram {
  /** The place of or the reason for the wait: "congestion_wait", "VMSCAN_THROTTLE_WRITEBACK". */
  readonly what: string;
  /** True for kswapd, false for tasks that allocate. */
  readonly kswapd: boolean;
  readonly tick_us: number;
  readonly timeout_us: number;
  /** Each delay in us, with the number of waits. */
  readonly bins: readonly (readonly [delayed_us: number, count: number])[];
  /**
   * The number of waits of no tick, of one tick, of two or three, of more, and of the timeout or
   * longer.
   */
  readonly coarse: readonly number[];
}

/** The report of a run. */
export interface RunReport {
  readonly rows: readonly ReportRow[];
  readonly delays: readonly Histogram[];
}

/** The change of a value from the baseline. */
type Direction = "up" | "down" | "flat";

/** A scored cell. */
interface Scored {
  readonly published: Direction;
  readonly simulated: Direction;
  readonly agrees: boolean;
  /** The simulated change divided by the published one; null if a baseline is zero. */
  readonly ratio: number | null;
}

/** The result of one cell. */
export type Cell = "baseline" | "missing" | "noise" | "unscored" | "unpublished" | Scored;

/** Sums over cells. */
export interface Scores {
  readonly scored: number;
  readonly agree: number;
  /** Scored cells whose published change is not flat. */
  readonly moving: number;
  readonly moving_agree: number;
  /** Scored cells that have a ratio. */
  readonly ratio: number;
  readonly within2: number;
}

/** The cells of a table, row by row, and the sums. */
export interface Scoring {
  readonly cells: readonly (readonly Cell[])[];
  readonly scores: Scores;
}

/** The lowest and the highest value of several seeds. */
export type Spread = readonly [least: number, most: number];

/** A row of a published table with the measured values, one for each kernel. */
export interface Compared {
  readonly metric: string;
  readonly unit: string;
  /** NaN for a kernel without a published value. */
  readonly published: readonly number[];
  readonly simulated: readonly (number | null)[];
  /** The spread for each kernel that ran with several seeds; the value is then the median. */
  readonly spreads?: readonly (Spread | null)[] | undefined;
  /** Why the row is shown but not scored. */
  readonly unscored?: string | undefined;
}

/** Was the change of a kernel published: its value and that of the baseline? */
const isPublished = ({ published }: Compared, kernel: number): boolean =>
  Number.isFinite(published[kernel]) && Number.isFinite(published[0]);

/** Scores a table. Rows that are only shown, and changes that were not published, are left out. */
export function scoreOf({ score_table }: Reporter, rows: readonly Compared[]): Scoring {
  const scored = rows.filter(({ unscored }) => unscored === undefined);
  const values = (row: Compared) =>
    row.simulated.map((v, kernel) => (isPublished(row, kernel) ? (v ?? Number.NaN) : Number.NaN));
  const { cells, scores }: Scoring = JSON.parse(
    score_table(
      scored.map(({ metric }) => metric),
      scored.map(({ unit }) => unit),
      Float64Array.from(scored.flatMap(({ published }) => published.map((v) => v || 0))),
      Float64Array.from(scored.flatMap(values)),
    ),
  );
  const publishedCells = ({ published }: Compared): readonly Cell[] =>
    published.map((_, kernel) => (kernel === 0 ? "baseline" : "unscored"));
  const cellsOf = (row: Compared): readonly Cell[] =>
    (cells[scored.indexOf(row)] ?? publishedCells(row)).map((cell, kernel) =>
      kernel > 0 && !isPublished(row, kernel) && row.simulated[kernel] !== null
        ? "unpublished"
        : cell,
    );
  return { cells: rows.map(cellsOf), scores };
}
