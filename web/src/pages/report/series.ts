// Tables by the patch series they were posted with.

import type { FiledTable } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";

/** A patch series and its tables. */
export interface Series {
  /** As the tables name it: list, date, author, subject. */
  readonly source: string;
  /** Its subject without the mark of a patch. */
  readonly title: string;
  /** Where, when and by whom; null where the source does not tell it in the usual form. */
  readonly posted: string | null;
  /** The file of figures it is in, without ".json". */
  readonly file: string;
  readonly tables: readonly FiledTable[];
}

const SOURCE = /^([^,]+), (\d{4}-\d{2}-\d{2}), ([^,]+), (?:\[PATCH[^\]]*\] )?(.+)$/;
/** A commit names the series it was part of. */
const OF_SERIES = /\(series '(.+)', (v\d+)\)$/;
/** A subject in quotes, with what it was for behind it. */
const QUOTED = /^'(.+)' \(.+\)$/;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** The series of some tables, the oldest first; tables of a series in the order they are given. */
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

/** The rows a series was argued with, by table. */
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

/** The row that stands for a table: the one it was argued with, else its first that can be better. */
export const mainRow = ({ id, rows }: PublishedTable): PublishedTable["rows"][number] | undefined =>
  rows.find(({ metric }) => metric === MAIN[id]) ??
  rows.find(({ better }) => better !== "none") ??
  rows[0];
