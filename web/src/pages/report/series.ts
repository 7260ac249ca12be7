// Groups tables by the patch series with which they were posted.

import type { FiledTable } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

/** A patch series and its tables. */
export interface Series {
  /** The tables' words: list, date, author, subject. */
  readonly source: string;
  /** Its subject without the patch prefix. */
  readonly title: string;
  /** Place, date and author; null if the source does not have the usual form. */
  readonly posted: string | null;
  /** Its file of figures, without ".json". */
  readonly file: string;
  readonly tables: readonly FiledTable[];
}

const SOURCE = /^([^,]+), (\d{4}-\d{2}-\d{2}), ([^,]+), (?:\[PATCH[^\]]*\] )?(.+)$/;
/** A commit names its series. */
const OF_SERIES = /\(series '(.+)', (v\d+)\)$/;
/** A quoted subject, followed by its purpose. */
const QUOTED = /^'(.+)' \(.+\)$/;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** The series of some tables, oldest first; the tables of a series stay in their order. */
export function seriesOf(tables: readonly FiledTable[]): Series[] {
  const bySource = new Map<string, FiledTable[]>();
  for (const table of tables)
    bySource.set(table.source, [...(bySource.get(table.source) ?? []), table]);
  const dateOf = (source: string) => SOURCE.exec(source)?.[2] ?? "9999";
  return [...bySource]
    .sort(([a], [b]) => dateOf(a).localeCompare(dateOf(b)))
    .map(([source, of]) => {
      const [, list, date = "", author, subject] = SOURCE.exec(source) ?? [];
      const [, name, version] = OF_SERIES.exec(subject ?? "") ?? [];
      const [, quoted] = QUOTED.exec(subject ?? "") ?? [];
      const title = name ? `${name} ${version}` : (quoted ?? subject);
      const posted = list ? `${list}, ${DAY.format(new Date(date))}, ${author}` : null;
      return { source, title: title ?? source, posted, file: of[0]?.file ?? "", tables: of };
    });
}

/** The main rows that authors argued with, by table. */
const MAIN: Readonly<Record<string, string>> = {
  fsmark: "Files/s mean",
  "autonuma-bench-mainline": "numa01",
  "large-dd": "dd source files",
  "specjbb-4x-thp": "sum",
  "stress-highalloc": "Pass 1",
  "stress-highalloc-vmscan": "Kswapd reclaim write anon async I/O",
  "stutterp-latency": "Amean mmap-48",
  "stutterp-vmstat": "System time",
  tiobench: "Min SeqRead-MB/sec-1",
};

/**
 * A table's main row: the one that the author argued with, otherwise the first that can improve.
 */
export const mainRow = ({ id, rows }: PublishedTable): PublishedTable["rows"][number] | undefined =>
  rows.find(({ metric }) => metric === MAIN[id]) ??
  rows.find(({ better }) => better !== "none") ??
  rows[0];
