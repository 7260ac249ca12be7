import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clock, count, duration, percent, size } from "../engine/format";
import { readSeries, rowDoing } from "../engine/rows";
import {
  cellBands,
  cellLayout,
  cellOfPfn,
  cellShares,
  cellSpan,
  mixedCells,
  paintCells,
} from "./map/cellmap";
import {
  blockBoxes,
  blockOf,
  frameAt,
  frameLayout,
  framePlace,
  indexOfPfn,
  paintFrames,
  pfnOf,
  tileBelow,
} from "./map/pagemap";
import { aboveLine, labelPx, markLabel, numberLine } from "./numberline";
import { freePaths, growth, lanePieces, rowAt, rowBefore } from "./series";
import { STATES } from "./states";
import { spread, tankLayout } from "./tank";
import { tilePieces } from "./tile";

describe("number formats", () => {
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
  ])("formats %s", (written, name) => expect(written).toBe(name));
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
  test("is filled higher when more pages are free", () => {
    const less = tankLayout(zone, 0, 100);
    const more = tankLayout({ ...zone, free: 150 }, 0, 100);
    expect(more.water_y).toBeLessThan(less.water_y);
  });

  test("has a torn surface above its scale, which ends at 1.5 times high", () => {
    expect(tankLayout({ ...zone, free: 181 }, 0, 100)).toMatchObject({
      overflows: true,
      scale_pages: 180,
    });
    expect(tankLayout({ ...zone, free: 180 }, 0, 100).overflows).toBe(false);
  });

  test("moves the compared watermark up by the reserve", () => {
    const [low] = tankLayout({ ...zone, kept_back: 200 }, 0, 100).marks;
    expect(low).toMatchObject({ name: "low", pages: 100 });
    expect(low?.y).toBeLessThan(tankLayout({ ...zone, kept_back: 200 }, 0, 100).reserve_y);
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
  test("gives each zone a band and finds each frame at its position", () => {
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

  test("covers a block with a few rectangles of the correct area", () => {
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

  test("finds the block of a frame", () => {
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

  test("moves up and down within a column, and from one band to the next", () => {
    expect([0, 64, 70, 128, 255].map((index) => tileBelow(layout, index, 1))).toEqual([
      64, 128, 134, 192, 255,
    ]);
    expect([0, 64, 128, 134].map((index) => tileBelow(layout, index, -1))).toEqual([0, 0, 64, 70]);
    const ragged = frameLayout(
      [[0, 70]],
      [{ key: "", name: "", start_pfn: 0, spanned: 70 }],
      64,
      8,
    );
    expect(tileBelow(ragged, 30, 1)).toBe(69);
  });
});

describe("the map of a large machine", () => {
  // Firmware reserves frames 0x9f to 0x100, and the zones meet inside a cell of 8,192 frames.
  const node = {
    ranges: [
      [1, 0x9e],
      [0x100, 0xf00],
      [0x1000, 0x3f000],
    ] as [number, number][],
    zones: [
      { key: "0/DMA", name: "DMA", start_pfn: 1, spanned: 0xfff },
      { key: "0/DMA32", name: "DMA32", start_pfn: 0x1000, spanned: 0x3f000 },
    ],
  };

  test("has cells of whole pageblocks, aligned, each in one zone", () => {
    const cells = cellLayout(node, 512, 64, 8);
    expect(cells.bands.map(({ zone: key, first, frames }) => [key, first, frames])).toEqual([
      ["0/DMA", 0, 8],
      ["0/DMA32", 8, 504],
    ]);
    expect(cells.pfns.every((pfn) => pfn % 512 === 0)).toBe(true);
    expect(cells.pfns[8]).toBe(0x1000);
  });

  test("merges pageblocks by powers of two until the map is low enough", () => {
    expect(cellSpan([node], 512, 64)).toBe(512);
    expect(cellSpan([node], 512, 16)).toBe(1024);
    const tebibyte = {
      ranges: [[0, 2 ** 28]] as [number, number][],
      zones: [{ key: "0/Normal", name: "Normal", start_pfn: 0, spanned: 2 ** 28 }],
    };
    const span = cellSpan([node, tebibyte], 512, 64);
    expect(Math.log2(span / 512) % 1).toBe(0);
    expect(cellLayout(tebibyte, span, 64, 8).pfns.length).toBeLessThanOrEqual(26 * 64);
  });

  test("finds the cell of a page even if two zones share a cell", () => {
    const cells = cellLayout(node, 8192, 64, 8);
    expect(cells.pfns.slice(0, 2)).toEqual([0, 0]);
    expect([5, 0xfff, 0x1000, 0x2000].map((pfn) => cellOfPfn(cells, node.zones, pfn))).toEqual([
      0, 0, 1, 2,
    ]);
    expect(cellOfPfn(cells, node.zones, 0x90000)).toBeNull();
  });

  test("paints the states of a cell by area and leaves missing frames blank", () => {
    const shares = new Uint16Array(12);
    shares[0] = 32_767;
    shares[1] = 32_767;
    expect(cellShares(shares, 0)[0]).toBeCloseTo(0.5, 3);
    const one = cellLayout({ ...node, ranges: [[0x1000, 512]] }, 512, 1, 9);
    expect(painted((g) => paintCells(g, one, shares, palette))).toEqual([
      "fillRect free 0 18 8 4",
      "fillRect anon-active 0 14 8 4",
    ]);
    shares[1] = 0;
    expect(painted((g) => paintCells(g, one, shares, palette))).toEqual(["fillRect free 0 18 8 4"]);
  });

  test("shows the four largest states of a cell as bands by share, in the order of the legend", () => {
    const bands = (of: Record<number, number>, inner: number) =>
      cellBands(
        STATES.map((_, state) => of[state] ?? 0),
        inner,
      ).map(({ state, px }) => [state, px]);
    expect(bands({ 0: 1 }, 6)).toEqual([[0, 6]]);
    expect(bands({ 5: 0.5, 0: 0.5 }, 6)).toEqual([
      [0, 3],
      [5, 3],
    ]);
    // A small share has a band, but a tiny one appears only in the words.
    expect(bands({ 4: 0.95, 5: 0.05 }, 6)).toEqual([
      [4, 5],
      [5, 1],
    ]);
    expect(bands({ 4: 0.999, 5: 0.001 }, 6)).toEqual([[4, 6]]);
    expect(bands({ 0: 0.1, 1: 0.3, 4: 0.3, 5: 0.2, 8: 0.06, 9: 0.04 }, 21)).toEqual([
      [0, 2],
      [1, 7],
      [4, 7],
      [5, 5],
    ]);
  });

  test("bands fill the existing part of a cell, are at least 1 px high, and grow with their share", () => {
    const parts = fc.array(fc.oneof(fc.constant(0), fc.nat(1000)), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, fc.nat(500), fc.integer({ min: 1, max: 27 }), (held, missing, inner) => {
        const all = held.reduce((a, b) => a + b, 0) + missing;
        const shares = held.map((pages) => (all === 0 ? 0 : pages / all));
        const bands = cellBands(shares, inner);
        const filled = shares.reduce((a, b) => a + b, 0);
        const full = filled > 0.999 ? inner : Math.ceil(filled * inner);
        expect(bands.reduce((sum, { px }) => sum + px, 0)).toBe(full);
        expect(bands.length).toBeLessThanOrEqual(4);
        for (const [i, { state, px }] of bands.entries()) {
          expect(px).toBeGreaterThan(0);
          expect(state).toBeGreaterThan(bands[i - 1]?.state ?? -1);
          for (const other of bands) {
            if ((shares[other.state] ?? 0) > (shares[state] ?? 0)) {
              expect(other.px).toBeGreaterThanOrEqual(px);
            }
          }
        }
      }),
    );
  });

  test("counts the cells of a zone that contain several states", () => {
    const one = cellLayout({ ...node, ranges: [[0x1000, 1024]] }, 512, 2, 9);
    const shares = new Uint16Array(24);
    shares[0] = 65_535;
    shares[12] = 60_000;
    shares[13] = 64;
    expect([...mixedCells(one, shares).values()]).toEqual([{ cells: 2, mixed: 1 }]);
  });
});

test("every state has its own shape or cut-out besides its colour", () => {
  const shapes = STATES.map(({ token }) =>
    JSON.stringify(tilePieces(token, 0, 0, 28, 28)).replaceAll(/"fill":"[a-z-]+"/g, ""),
  );
  const withoutPair = new Set(shapes);
  expect(withoutPair.size).toBe(STATES.length);
});

test("the number line is in order and labels the compared watermark", () => {
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

/** The labels of a number line, as ranges of x. */
function labelsOf(line: ReturnType<typeof numberLine>) {
  return line.marks
    .filter(({ name }) => name !== "")
    .map((mark) => {
      const px = labelPx(markLabel(mark));
      const from = mark.label_x - { start: 0, middle: px / 2, end: px }[mark.anchor];
      return { from, to: from + px };
    });
}

const overlap = (spans: readonly { from: number; to: number }[]) =>
  spans.some((a, i) => spans.slice(i + 1).some((b) => a.from < b.to && b.from < a.to));

test("labels of a number line never overlap or leave it, however close the watermarks are", () => {
  const mark = fc.integer({ min: 0, max: 2_000_000 });
  const near = fc.tuple(mark, fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
  const marks = fc.oneof(
    near.map(([min, to_low, to_high]) => [min, min + to_low, min + to_low + to_high] as const),
    fc.tuple(mark, mark, mark),
  );
  const labels = fc.constantFrom("free", "free + reserve", "counted");
  fc.assert(
    fc.property(
      marks,
      mark,
      labels,
      fc.integer({ min: 120, max: 328 }),
      (three, value, label, width) => {
        const [min, low, high] = three.toSorted((a, b) => a - b) as [number, number, number];
        const line = numberLine(
          {
            label,
            value,
            against_label: "low + protection",
            against: low,
            marks: [
              ["min", min],
              ["high", high],
            ],
          },
          10,
          width - 10,
        );
        const below = labelsOf(line);
        expect(overlap(below)).toBe(false);
        expect(line.marks.some(({ is_compared, name }) => is_compared && name !== "")).toBe(true);
        const own = `${label} ${count(value)}`;
        const words = `${count(Math.abs(value - low))} short`;
        const { value_from, difference_from } = aboveLine(line, own, words, width);
        const above = [{ from: value_from, to: value_from + labelPx(own) }];
        if (difference_from !== null) {
          above.push({ from: difference_from, to: difference_from + labelPx(words) });
        }
        expect(overlap(above)).toBe(false);
        for (const { from, to } of above) {
          expect(from).toBeGreaterThanOrEqual(0);
          if (to - from <= width) expect(to).toBeLessThanOrEqual(width + 0.001);
        }
      },
    ),
  );
});

/** Rows of step, time and free pages of one zone, with the activity of three tasks. */
const rowsOf = (rows: readonly number[][], counter = 0, doing = 0x512) =>
  Float64Array.from(
    rows.flatMap((row, i) => [
      8,
      1,
      ...row.slice(0, 2),
      row[1] ?? 0,
      ...row.slice(2),
      counter * i,
      3,
      doing,
    ]),
  );

test("reads lanes and growing counters from the rows", () => {
  const rows = rowsOf(
    [
      [0, 0, 9],
      [1, 10, 9],
      [2, 30, 9],
      [3, 40, 9],
    ],
    7,
  );
  // The second moment equals the first, except that task 1 has ended.
  rows[9 + 8] = 0x502;
  const series = readSeries(rows, 1);
  expect([0, 1, 2, 3].map((task) => rowDoing(series, 0, task))).toEqual([
    "running",
    "asleep",
    "throttled",
    "gone",
  ]);
  expect(lanePieces(series, 0)).toEqual([{ doing: "running", from_ns: 0, to_ns: 40 }]);
  expect(lanePieces(series, 1)).toEqual([
    { doing: "asleep", from_ns: 0, to_ns: 10 },
    { doing: "asleep", from_ns: 30, to_ns: 40 },
  ]);
  expect(growth(series, 0, 2)).toEqual([
    { from_ns: 0, to_ns: 20, by: 10.5 },
    { from_ns: 20, to_ns: 40, by: 10.5 },
  ]);
  expect(growth(series, 0, 1)).toEqual([{ from_ns: 0, to_ns: 40, by: 21 }]);
});

test("draws a state from its start even if nothing was executed meanwhile", () => {
  const rows = rowsOf([
    [0, 0, 9],
    [1, 100, 5],
  ]);
  // The step before the second moment ended after 10 ns; then all tasks slept.
  rows[9 + 4] = 10;
  rows[9 + 8] = 0x511;
  rows[9 + 6] = 3;
  const series = readSeries(rows, 1);
  expect(lanePieces(series, 0)).toEqual([
    { doing: "running", from_ns: 0, to_ns: 10 },
    { doing: "asleep", from_ns: 10, to_ns: 100 },
  ]);
  expect(freePaths(series, 0, 10, (t) => t, [0, 10]).line).toBe("M0,1L10,1L10,5L100,5L100,5");
  expect(growth(series, 0, 1)).toEqual([{ from_ns: 0, to_ns: 100, by: 3 }]);
  expect([9, 10, 99].map((t) => [rowAt(series, t), rowBefore(series, t)])).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
  ]);
});

test("the timeline finds rows by time and draws more free pages higher", () => {
  const series = readSeries(
    rowsOf([
      [0, 0, 100],
      [10, 1000, 50],
      [20, 2000, 0],
    ]),
    1,
  );
  expect([0, 999, 1000, 5000].map((t) => rowBefore(series, t))).toEqual([0, 0, 1, 2]);
  const { y, line } = freePaths(series, 0, 100, (t) => t, [0, 40]);
  expect(y(100)).toBe(0);
  expect(y(0)).toBe(40);
  expect(line).toMatch(/^M0,0/);
});

const palette = Object.fromEntries(
  [...STATES.map(({ token }) => token), "rule-2", "notch", "ink-1"].map((token) => [token, token]),
);

/** Logs the drawing calls, with colours by token. */
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
  // A canvas has a hundred members more than the painter uses.
  draw(g as unknown as CanvasRenderingContext2D);
  return log;
}
