import { expect, test } from "vitest";
import type { Histogram } from "../../engine/report";
import { loadPublications } from "../../lessons/publications";
import { csvText } from "../../ui/save";
import { delayCells, reportCells } from "./csv";
import { delaysOf, mailLines } from "./waits";

const waits = (kswapd: boolean, bins: Histogram["bins"], coarse: readonly number[]): Histogram => ({
  what: "congestion_wait",
  kswapd,
  tick_us: 4000,
  timeout_us: 100_000,
  bins,
  coarse,
});
const RESULTS = {
  old: {
    delays: [
      waits(
        false,
        [
          [4000, 3],
          [104_000, 7],
        ],
        [0, 3, 0, 0, 7],
      ),
    ],
  },
  new: { delays: [waits(true, [[0, 2]], [2, 0, 0, 0, 0])] },
};

test("saves a report with all digits and with empty cells for kernels that have not run", () => {
  const rows = [
    { metric: "Page Ins", unit: "KiB", published: [10, 5], simulated: [7.123456, null] },
  ];
  const cells = [["baseline", "missing"] as const];
  const scores = { scored: 0, agree: 0, moving: 0, moving_agree: 0, ratio: 0, within2: 0 };
  expect(csvText(reportCells(["a", "b,c"], rows, { cells, scores }))).toBe(
    'metric,unit,published a,"published b,c",simulated a,"simulated b,c",verdict a,"verdict b,c"\r\n' +
      "Page Ins,KiB,10,5,7.123456,,baseline,missing\r\n",
  );
  expect(reportCells(["a", "b"], rows, null)[1]?.slice(6)).toEqual(["", ""]);
});

test("saves delays in the order of the table, one per line", () => {
  expect(delayCells(["old", "new", "unrun"], RESULTS)).toEqual([
    ["kernel", "waited", "who", "timeout_us", "delayed_us", "count"],
    ["old", "congestion_wait", "direct", 100_000, 4000, 3],
    ["old", "congestion_wait", "direct", 100_000, 104_000, 7],
    ["new", "congestion_wait", "kswapd", 100_000, 0, 2],
  ]);
});

test("places waits of one kind side by side, with zeros for kernels without them", () => {
  const [direct, kswapd] = delaysOf(["old", "new", "unrun"], RESULTS);
  expect(direct).toMatchObject({ what: "congestion_wait", who: "direct reclaim", timeout_ms: 100 });
  expect(direct?.kernels).toMatchObject([
    {
      kernel: "old",
      published: null,
      simulated: { counts: [0, 3, 0, 0, 7], events: 10, sum_s: 0.74 },
    },
    { kernel: "new", published: null, simulated: { counts: [0, 0, 0, 0, 0], events: 0, sum_s: 0 } },
  ]);
  expect(kswapd?.kernels.map(({ simulated }) => simulated?.events)).toEqual([0, 2]);
  expect(delaysOf(["unrun"], RESULTS)).toEqual([]);
});

test("shows published waits beside simulated ones in the order of the published mail", async () => {
  const { tables } = await loadPublications();
  const table = tables.find(({ id }) => id === "stutterp-vmstat");
  const [old = "", series = ""] = table?.kernels ?? [];
  const simulated = [[0, 5]] as const;
  const iff = { ...waits(false, simulated, [5, 0, 0, 0, 0]), what: "wait_iff_congested" };
  const kinds = delaysOf([old, series], { [old]: { delays: [iff] } }, table?.delays);
  expect(kinds.map(({ what }) => what)).toEqual([
    "wait_iff_congested",
    "congestion_wait",
    "VMSCAN_THROTTLE_ISOLATED",
    "VMSCAN_THROTTLE_WRITEBACK",
  ]);
  const [first, , isolated, writeback] = kinds;
  expect(first?.kernels).toMatchObject([
    { kernel: old, published: { events: 82_434, sum_s: 0.22 }, simulated: { events: 5 } },
    { kernel: series, published: null, simulated: null },
  ]);
  expect(isolated?.kernels[1]?.published?.counts).toEqual([6520, 9, 0, 12, 83]);
  expect(writeback?.kernels[1]?.published?.counts[4]).toBe(83_962);
  const published = first?.kernels[0]?.published;
  expect(mailLines(published?.bins ?? []).slice(-2)).toEqual([
    "29 delayed=4000",
    "82394 delayed=0",
  ]);
});
