import { expect, test } from "vitest";
import { costsOf, eachWords } from "./per-page";

test("divides costs by the pages allocated and separates zone_reclaim from direct reclaim", () => {
  const costs = costsOf([
    ["pgalloc_dma", 100],
    ["pgalloc_normal", 900],
    ["pgscan_kswapd", 250],
    ["pgscan_kswapd_normal", 250],
    ["pgscan_direct", 5000],
    ["scan_zone_reclaim", 4000],
    ["stall_direct_ns", 2_000_000],
  ]);
  expect(costs).toEqual({
    pages: 1000,
    scans: [
      { who: "kswapd", all: 250, each: 0.25 },
      { who: "direct reclaim", all: 1000, each: 1 },
      { who: "zone_reclaim", all: 4000, each: 4 },
    ],
    stalls: [
      { who: "direct reclaim", all: 2_000_000, each: 2000 },
      { who: "zone_reclaim", all: 0, each: 0 },
    ],
  });
});

test("gives no costs for a machine that reclaimed nothing", () => {
  expect(costsOf([["pgalloc_normal", 900]])).toBeNull();
  expect(costsOf([["pgscan_kswapd", 9]])).toBeNull();
});

test("writes a share of a page with two or three significant figures", () => {
  expect([0, 0.0004, 0.0521, 0.5, 1.234, 45.67, 1234.4].map(eachWords)).toEqual([
    "0",
    "under 0.001",
    "0.052",
    "0.5",
    "1.23",
    "45.7",
    "1,234",
  ]);
});
