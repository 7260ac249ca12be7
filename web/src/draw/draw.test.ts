import { describe, expect, test } from "vitest";
import { clock, count, duration, percent, size } from "./format";
import { numberLine } from "./numberline";
import {
  blockBoxes,
  blockOf,
  cellShares,
  frameAt,
  frameLayout,
  framePlace,
  indexOfPfn,
  paintCells,
  paintFrames,
  pfnOf,
} from "./pagemap";
import { routeHops } from "./route";
import { freePaths, readSeries, rowBefore } from "./series";
import { STATES } from "./states";
import { spread, tankLayout } from "./tank";
import { tilePieces } from "./tile";

describe("numbers", () => {
  test.each([
    [count(431904), "431,904"],
    [count(-47), "\u221247"],
    [clock(12_480_312_400), "12.480\u2009312"],
    [duration(60_700_000), "60.7\u202fms"],
    [duration(20_000), "20\u202fµs"],
    [size(512, 4096), "2\u202fMiB"],
    [size(524_288, 4096), "2.0\u202fGiB"],
    [size(1, 4096), "4\u202fKiB"],
    [percent(0.032), "3.2\u202f%"],
  ])("%s", (written, wanted) => expect(written).toBe(wanted));
});

const zone = {
  present: 1000,
  free: 120,
  min: 80,
  low: 100,
  high: 120,
  states: [120, 880],
  kept_back: 0,
  mark: "low",
};

describe("a tank", () => {
  test("holds more water when more is free", () => {
    const less = tankLayout(zone, 0, 100);
    const more = tankLayout({ ...zone, free: 150 }, 0, 100);
    expect(more.water_y).toBeLessThan(less.water_y);
  });

  test("has a torn surface above its scale, which is half as much again as high", () => {
    expect(tankLayout({ ...zone, free: 181 }, 0, 100)).toMatchObject({
      overflows: true,
      scale_pages: 180,
    });
    expect(tankLayout({ ...zone, free: 180 }, 0, 100).overflows).toBe(false);
  });

  test("moves the compared mark up by what is kept back", () => {
    const [low] = tankLayout({ ...zone, kept_back: 200 }, 0, 100).marks;
    expect(low).toMatchObject({ name: "low", pages: 100 });
    expect(low?.y).toBeLessThan(tankLayout({ ...zone, kept_back: 200 }, 0, 100).kept_y);
  });

  test("keeps labels apart", () => {
    const labels = spread([50, 51, 52], 12, 0, 100);
    expect(labels).toEqual([50, 62, 74]);
    expect(spread([98, 99, 100], 12, 0, 100)).toEqual([76, 88, 100]);
  });
});

const ranges: [number, number][] = [
  [0, 128],
  [4096, 128],
];
const zones = [
  { key: "0/DMA", name: "DMA", start_pfn: 0, spanned: 4096 },
  { key: "0/DMA32", name: "DMA32", start_pfn: 4096, spanned: 128 },
];
const layout = frameLayout(ranges, zones, 64, 8);

describe("the page map", () => {
  test("gives each zone a band, and finds each frame where it draws it", () => {
    expect(layout.bands.map(({ zone: key, first, frames }) => [key, first, frames])).toEqual([
      ["0/DMA", 0, 128],
      ["0/DMA32", 128, 128],
    ]);
    for (const index of [0, 63, 64, 127, 128, 255]) {
      const place = framePlace(layout, index);
      expect(place && frameAt(layout, place.x + 4, place.y + 4)).toBe(index);
      expect(indexOfPfn(ranges, pfnOf(ranges, index))).toBe(index);
    }
    expect(frameAt(layout, 4, 2)).toBeNull();
  });

  test("covers a block with few rectangles of the right area", () => {
    for (const [from, order] of [
      [0, 0],
      [4, 2],
      [64, 6],
      [0, 7],
    ] as const) {
      const area = blockBoxes(layout, from, from + 2 ** order).reduce(
        (sum, { w, h }) => sum + w * h,
        0,
      );
      expect(area).toBe(2 ** order * 64);
    }
  });

  test("knows the block a frame belongs to", () => {
    const orders = new Uint8Array(16);
    orders[8] = 4;
    expect(blockOf(orders, 13)).toEqual({ head: 8, order: 3 });
    expect(blockOf(orders, 7)).toEqual({ head: 7, order: 0 });
  });

  test("paints a used page as a tile and a free block as one area", () => {
    const states = new Uint8Array(256);
    const orders = new Uint8Array(256);
    states[5] = 1;
    orders[64] = 7;
    const log = painted((g) => paintFrames(g, layout, states, orders, palette));
    expect(log).toContain("fill anon-active");
    expect(log).toContain("fillRect free 0 22 511 7");
    const none = painted((g) => paintFrames(g, layout, new Uint8Array(256), orders, palette));
    expect(none).not.toContain("fill anon-active");
  });

  test("paints a cell's states by area", () => {
    const shares = new Uint16Array(12);
    shares[0] = 30_000;
    shares[1] = 30_000;
    expect(cellShares(shares, 0).slice(0, 2)).toEqual([0.5, 0.5]);
    const one = { columns: 1, rows: 1, cell_px: 9 };
    expect(painted((g) => paintCells(g, one, shares, palette))).toEqual([
      "fillRect free 0 4 8 4",
      "fillRect anon-active 0 0 8 4",
    ]);
  });
});

test("every state has a shape or cut-out of its own beside its colour", () => {
  const shapes = STATES.map(({ token }) =>
    JSON.stringify(tilePieces(token, 0, 0, 28, 28)).replaceAll(/"fill":"[a-z-]+"/g, ""),
  );
  const withoutPair = new Set(shapes);
  expect(withoutPair.size).toBe(STATES.length);
});

test("the number line keeps order and the compared mark's label", () => {
  const marks = [
    ["min", 1008],
    ["low", 1260],
    ["high", 1512],
  ] as const;
  const line = numberLine(
    { label: "free", value: 1213, against_label: "low", against: 1260, marks },
    10,
    318,
  );
  expect(line.value_x).toBeLessThan(line.against_x);
  expect(line.marks.map(({ name }) => name)).toEqual(["min", "low", "high"]);
  const far = numberLine(
    { label: "free", value: 99_999, against_label: "low", against: 1260, marks },
    10,
    318,
  );
  expect(far.is_beyond).toBe(true);
});

test("the route walks, points ahead, and leaves out zones that are not allowed", () => {
  const stops = [
    { x: 300, row: 0, state: "passed" },
    { x: 100, row: 0, state: "now" },
    { x: 500, row: 0, state: "ahead" },
    { x: 700, row: 0, state: "ahead" },
    { x: 900, row: 0, state: "not_allowed" },
  ] as const;
  expect(routeHops(stops, 68).map(({ look }) => look)).toEqual(["walked", "next", "rest"]);
});

test("the timeline finds rows by time and draws more free pages higher", () => {
  const series = readSeries(Float64Array.from([0, 0, 100, 10, 1000, 50, 20, 2000, 0]), 1);
  expect([0, 999, 1000, 5000].map((t) => rowBefore(series, t))).toEqual([0, 0, 1, 2]);
  const { y, line } = freePaths(series, 0, 100, (t) => t, [0, 40]);
  expect(y(100)).toBe(0);
  expect(y(0)).toBe(40);
  expect(line).toMatch(/^M0,0/);
});

const palette = Object.fromEntries(
  [...STATES.map(({ token }) => token), "rule-2", "notch", "ink-1"].map((token) => [token, token]),
);

/** Logs what is drawn, with colours by token. */
function painted(draw: (g: CanvasRenderingContext2D) => void): string[] {
  const log: string[] = [];
  const g = {
    fillStyle: "",
    strokeStyle: "",
    lineWidth: 1,
    fillRect: (...at: number[]) => log.push(`fillRect ${g.fillStyle} ${at.join(" ")}`),
    fill: () => log.push(`fill ${g.fillStyle}`),
    stroke: () => {},
    strokeRect: () => {},
    beginPath: () => {},
    closePath: () => {},
    moveTo: () => {},
    lineTo: () => {},
    rect: () => {},
    roundRect: () => {},
  };
  draw(g as unknown as CanvasRenderingContext2D);
  return log;
}
