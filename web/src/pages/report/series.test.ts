import { describe, expect, it } from "vitest";
import { isOffered, loadPublications } from "../../lessons/publications";
import { mainRow, seriesOf } from "./series";

const { tables: published } = await loadPublications();
const tables = published.filter(isOffered);

describe("seriesOf", () => {
  it("orders the series by the date of posting, with position and author", () => {
    const listed = seriesOf(tables).map(({ title, posted, file, tables: of }) => ({
      title,
      posted,
      file,
      of: of.map(({ id }) => id),
    }));
    expect(listed).toEqual([
      {
        title: "Use memory compaction instead of lumpy reclaim during high-order allocations",
        posted: "linux-mm, 17 November 2010, Mel Gorman",
        file: "compaction",
        of: ["stress-highalloc", "stress-highalloc-vmscan"],
      },
      {
        title: "Reduce frequency of stalls due to zone_reclaim() on NUMA v2",
        posted: "linux-mm, 15 July 2011, Mel Gorman",
        file: "zone-reclaim",
        of: ["fsmark", "large-dd"],
      },
      {
        title: "Latest numa/core release, v18",
        posted: "linux-kernel, 30 November 2012, Ingo Molnar",
        file: "numa-core",
        of: ["specjbb-4x-thp", "autonuma-bench-mainline"],
      },
      {
        title: "mm: vmscan: Do not reclaim from lower zones if they are balanced",
        posted: "linux-kernel, 27 June 2014, Mel Gorman",
        file: "kswapd-lower-zones",
        of: ["tiobench"],
      },
      {
        title: "Remove dependency on congestion_wait in mm/ v5",
        posted: "Linux commit 8cd7c588decf, 6 November 2021, Mel Gorman",
        file: "reclaim-throttle",
        of: ["stutterp-latency", "stutterp-vmstat"],
      },
    ]);
  });

  it("lists sources of another form last and unchanged", () => {
    const [first] = tables;
    if (!first) throw new Error("there is a table");
    const odd = { ...first, id: "odd", source: "a talk" };
    expect(seriesOf([odd, ...tables]).at(-1)).toMatchObject({ title: "a talk", posted: null });
  });
});

describe("mainRow", () => {
  it("is the row that the author argued with in every table", () => {
    expect(tables.map((table) => [table.id, mainRow(table)?.metric]).sort()).toEqual([
      ["autonuma-bench-mainline", "numa01"],
      ["fsmark", "Files/s mean"],
      ["large-dd", "dd source files"],
      ["specjbb-4x-thp", "sum"],
      ["stress-highalloc", "Pass 1"],
      ["stress-highalloc-vmscan", "Kswapd reclaim write anon async I/O"],
      ["stutterp-latency", "Amean mmap-48"],
      ["stutterp-vmstat", "System time"],
      ["tiobench", "Min SeqRead-MB/sec-1"],
    ]);
  });

  it("is the first row that can improve if the source names none", () => {
    const table = tables.find(({ id }) => id === "fsmark");
    if (!table) throw new Error("there is FS-Mark");
    expect(mainRow({ ...table, id: "new" })?.metric).toBe("Files/s min");
  });
});
