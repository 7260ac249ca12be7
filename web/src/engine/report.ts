// Types for the rows of a benchmark's report and for their agreement with a published table. The
// engine computes both.

/** The function of the engine that a report needs beside its rows. */
export type Reporter = Pick<typeof import("./pkg/mmscope"), "score_table">;

/** One row of a run's report. */
interface ReportRow {
  /** As published: "Direct pages scanned". */
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
}

/** How long reclaimers of one kind were throttled, in ticks. */
export interface Histogram {
  /** Where or why they waited: "congestion_wait", "VMSCAN_THROTTLE_WRITEBACK". */
  readonly what: string;
  /** True for kswapd, false for tasks that allocate. */
  readonly kswapd: boolean;
  readonly tick_us: number;
  readonly timeout_us: number;
  /** Each delay in us, and how many waits had it. */
  readonly bins: readonly (readonly [delayed_us: number, count: number])[];
  /** How many waited no tick, one tick, two or three, more, and up to the timeout or longer. */
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

/** A table's cells, row by row, and their sums. */
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
  /** Not a number for a kernel for which nothing was published. */
  readonly published: readonly number[];
  readonly simulated: readonly (number | null)[];
  /** For each kernel that ran with several seeds, whose value is then the median. */
  readonly spreads?: readonly (Spread | null)[] | undefined;
  /** Why the row is shown but not scored. */
  readonly unscored?: string | undefined;
}

/** Was the change of a kernel published: its value and that of the baseline? */
const isPublished = ({ published }: Compared, kernel: number): boolean =>
  Number.isFinite(published[kernel]) && Number.isFinite(published[0]);

/** Scores a table, without the rows that are only shown and the changes that were not published. */
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
