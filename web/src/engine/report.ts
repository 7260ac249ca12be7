// Rows of a benchmark's report and how well they agree with a published table. The engine computes
// both; here they get their types.

/** What of the engine a report needs beside its rows. */
export type Reporter = Pick<typeof import("./pkg/mmscope"), "score_table">;

/** One row of a run's report. */
interface ReportRow {
  /** As published: "Direct pages scanned". */
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
}

/** How long reclaimers of one kind were made to wait, by ticks. */
export interface Histogram {
  /** What they waited in or for: "congestion_wait", "VMSCAN_THROTTLE_WRITEBACK". */
  readonly what: string;
  /** kswapd waited, not a task that allocates. */
  readonly kswapd: boolean;
  readonly tick_us: number;
  readonly timeout_us: number;
  /** Each delay, us, and how many there were. */
  readonly bins: readonly (readonly [delayed_us: number, count: number])[];
  /** How many waited not at all, one tick, two or three, more, and for the timeout or longer. */
  readonly coarse: readonly number[];
}

/** What is told of a run. */
export interface RunReport {
  readonly rows: readonly ReportRow[];
  readonly delays: readonly Histogram[];
}

/** Where a value goes from the baseline's. */
type Direction = "up" | "down" | "flat";

/** A cell that was scored. */
interface Scored {
  readonly published: Direction;
  readonly simulated: Direction;
  readonly agrees: boolean;
  /** The simulated change over the published one; null where a baseline is zero. */
  readonly ratio: number | null;
}

/** What became of one cell. */
export type Cell = "baseline" | "missing" | "noise" | "unscored" | Scored;

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

/** The least and the largest of the values that several seeds gave. */
export type Spread = readonly [least: number, most: number];

/** A row of a published table with what was measured for it, a value for each kernel. */
export interface Compared {
  readonly metric: string;
  readonly unit: string;
  readonly published: readonly number[];
  readonly simulated: readonly (number | null)[];
  /** Of each kernel, where it ran with several seeds: the value is their median then. */
  readonly spreads?: readonly (Spread | null)[] | undefined;
  /** Why it is shown and not scored. */
  readonly unscored?: string | undefined;
}

/** Scores a table, but for the rows that are only shown. */
export function scoreOf({ score_table }: Reporter, rows: readonly Compared[]): Scoring {
  const scored = rows.filter(({ unscored }) => unscored === undefined);
  const { cells, scores }: Scoring = JSON.parse(
    score_table(
      scored.map(({ metric }) => metric),
      scored.map(({ unit }) => unit),
      Float64Array.from(scored.flatMap(({ published }) => published)),
      Float64Array.from(scored.flatMap(({ simulated }) => simulated.map((v) => v ?? Number.NaN))),
    ),
  );
  const shown = ({ published }: Compared): readonly Cell[] =>
    published.map((_, kernel) => (kernel === 0 ? "baseline" : "unscored"));
  return { cells: rows.map((row) => cells[scored.indexOf(row)] ?? shown(row)), scores };
}
