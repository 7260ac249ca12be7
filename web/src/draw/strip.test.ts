// Pageblocks as a strip: the contents of each, its place, and that nothing overlaps.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { CompactRunView, PageblocksView } from "../engine/types";
import { runMarks } from "./scanners";
import {
  boxAt,
  cellAtPoint,
  cellOf,
  contentsOf,
  isWhole,
  mergeCells,
  mostColumns,
  pagePoint,
  readStrip,
  type StripOf,
  scaleBars,
  scannerCell,
  stripLayout,
  tracks,
} from "./strip";

const TYPES = ["Unmovable", "Movable", "Reclaimable", "Reserve"];
/** Blocks of four pages; the zone has a hole and ends in the middle of its last block. */
const BLOCKS: PageblocksView = {
  zone: "0/Normal",
  types: [
    [8, 1, 0],
    [12, 2, 1],
    [24, 2, 1],
  ],
  considered: 0,
  defer_limit: 1,
  run: null,
};
const OF: StripOf = {
  info: { pageblock_order: 2, migratetypes: TYPES },
  node: {
    ranges: [
      [0, 8],
      [8, 12],
      [24, 6],
    ],
  },
  zones: [
    { key: "0/DMA", name: "DMA", start_pfn: 0, spanned: 8 },
    { key: "0/Normal", name: "Normal", start_pfn: 8, spanned: 22 },
  ],
  blocks: BLOCKS,
};
/** Eight pages of DMA, then Normal: unmovable and free, in use, free, one free block, in use. */
const MAP = {
  kind: "frames",
  states: Uint8Array.of(
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    8,
    0,
    0,
    9,
    1,
    2,
    3,
    7,
    0x80,
    0,
    0,
    0,
    0x88,
    8,
    8,
    8,
    4,
    5,
  ),
  orders: Uint8Array.of(
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    3,
    0,
    0,
    0,
    3,
    0,
    0,
    0,
    1,
    1,
  ),
} as const;

test("each block has its pages, including blocks after a hole and at the end of the zone", () => {
  const cells = readStrip(OF, MAP);
  expect(cells.map(({ pfn }) => pfn)).toEqual([8, 12, 16, 24, 28]);
  expect(cells.map(contentsOf)).toEqual([
    { free: 2, movable: 0, unmovable: 2, isolated: 0 },
    { free: 0, movable: 3, unmovable: 0, isolated: 1 },
    { free: 4, movable: 0, unmovable: 0, isolated: 0 },
    { free: 0, movable: 0, unmovable: 4, isolated: 0 },
    { free: 0, movable: 2, unmovable: 0, isolated: 0 },
  ]);
  expect(cells.map(isWhole)).toEqual([false, false, true, false, false]);
  expect(cells.map(({ isGiven }) => isGiven)).toEqual([false, false, false, true, false]);
  expect(cells.map(({ types }) => types.indexOf(1))).toEqual([0, 1, 1, 1, 1]);
});

test("cells of a large machine are columns with the types of their blocks", () => {
  const shares = new Uint16Array(12 * 4);
  shares[0] = 65_535;
  // Cells of eight pages: one in DMA, then those from 8, 16 and 24 on.
  shares[12 * 2 + 1] = 32_768;
  shares[12 * 2 + 8] = 32_767;
  const cells = readStrip(OF, { kind: "cells", span: 8, shares });
  expect(cells.map(({ pfn, span }) => [pfn, span])).toEqual([
    [8, 8],
    [16, 8],
    [24, 8],
  ]);
  expect(cells.map(({ types }) => types)).toEqual([
    [1, 1, 0, 0],
    [0, 1, 0, 0],
    [0, 2, 0, 0],
  ]);
  expect(cells[1] && contentsOf(cells[1])).toEqual({
    free: 0,
    movable: 4,
    unmovable: 4,
    isolated: 0,
  });
  const [one] = mergeCells(cells, 1);
  expect(one).toMatchObject({ pfn: 8, span: 24, types: [1, 4, 0, 0] });
});

const room = fc.record({
  blocks: fc.integer({ min: 1, max: 1600 }),
  order: fc.integer({ min: 1, max: 12 }),
  width: fc.integer({ min: 240, max: 1100 }),
  isOneRow: fc.boolean(),
});

test("boxes are inside the strip, do not overlap, and are found at their points", () => {
  fc.assert(
    fc.property(room, ({ blocks, order, width, isOneRow }) => {
      const cells = isOneRow ? Math.min(blocks, mostColumns(width)) : blocks;
      const layout = stripLayout(cells, 2 ** order, {
        width,
        high_px: 64,
        ...(isOneRow ? {} : { wide_px: 14 }),
      });
      expect(layout.width).toBeLessThanOrEqual(width);
      expect(layout.rows === 1 || !isOneRow).toBe(true);
      expect(layout.columns * layout.tile[0]).toBeLessThanOrEqual(layout.box_px);
      for (const cell of [0, cells >> 1, cells - 1]) {
        const { x, y } = boxAt(layout, cell);
        expect(x + layout.box_px).toBeLessThanOrEqual(layout.width + 1);
        expect(y + layout.high_px).toBeLessThanOrEqual(layout.height);
        const middle = { x: x + layout.box_px / 2, y: y + layout.high_px / 2 };
        expect(cellAtPoint(layout, cells, middle)).toBe(cell);
      }
    }),
  );
});

test("64 blocks of 64 pages have tiles of 3 by 4 px in one row", () => {
  const layout = stripLayout(64, 64, { width: 920, high_px: 64 });
  expect(layout).toMatchObject({ rows: 1, block_px: 14, columns: 4, tile: [3, 4], high_px: 64 });
});

/** A run of compaction at these pages. */
const run = (of: Partial<CompactRunView>): CompactRunView => ({
  task: 1,
  by: "request",
  order: 2,
  sync: true,
  movable_only: false,
  migrate_pfn: 0,
  free_pfn: 0,
  hint: null,
  until: null,
  isolated: 0,
  targets: 0,
  moved: null,
  passed: [],
  end: null,
  ...of,
});

/** Blocks of four pages, from page 0 on. */
const plain = (blocks: number) =>
  readStrip(
    {
      ...OF,
      node: { ranges: [[0, blocks * 4]] },
      zones: [{ key: "0/Normal", name: "Normal", start_pfn: 0, spanned: blocks * 4 }],
      blocks: { ...BLOCKS, types: [[0, blocks, 1]] },
    },
    { kind: "frames", states: new Uint8Array(blocks * 4), orders: new Uint8Array(blocks * 4) },
  );

test("labels of scanners stay inside the strip and never overlap", () => {
  const at = fc.tuple(fc.integer({ min: 0, max: 256 }), fc.integer({ min: 0, max: 256 }));
  fc.assert(
    fc.property(
      at,
      fc.integer({ min: 300, max: 1000 }),
      fc.boolean(),
      ([a, b], width, isOneRow) => {
        const cells = plain(64);
        const layout = stripLayout(64, 4, {
          width,
          high_px: 64,
          ...(isOneRow ? {} : { wide_px: 20 }),
        });
        const of = run({ migrate_pfn: Math.min(a, b), free_pfn: Math.max(a, b) });
        const { scanners, seen } = runMarks(of, cells, layout, { block: 4, types: TYPES });
        const [left, right] = scanners;
        if (!left || !right) throw new Error("two scanners");
        const end = ({ label_x, words }: typeof left) => label_x + words.length * 6.1;
        for (const { label_x } of scanners) expect(label_x).toBeGreaterThanOrEqual(0);
        for (const scanner of scanners) expect(end(scanner)).toBeLessThanOrEqual(width + 0.1);
        if (left.row === right.row && right.words) expect(end(left)).toBeLessThan(right.label_x);
        for (const { from, to } of seen) expect(from).toBeLessThan(to);
      },
    ),
  );
});

test("marks skipped blocks, including one skipped from mid-block, and draws moved pages", () => {
  const cells = plain(8);
  const layout = stripLayout(8, 4, { width: 400, high_px: 64 });
  const marks = runMarks(
    run({
      migrate_pfn: 12,
      free_pfn: 24,
      hint: 8,
      moved: { from: 9, to: 24, done: false },
      passed: [
        { pfn: 5, next: 12, migratetype: 2, target: false },
        { pfn: 28, next: 28, migratetype: 3, target: true },
        { pfn: 28, next: 28, migratetype: 1, target: true },
      ],
    }),
    cells,
    layout,
    { block: 4, types: TYPES },
  );
  expect([...marks.passed]).toEqual([
    [1, "skipped: reclaimable"],
    [2, "skipped with the block before it"],
    [7, "no page is moved here: reserve"],
  ]);
  expect(marks.hint).toBe(2);
  expect(marks.seen).toEqual([...tracks(layout, 2, 3), ...tracks(layout, 6, 7)]);
  const from = pagePoint(layout, cells, 9);
  expect(marks.move?.path.startsWith(`M${from?.x} ${from?.y}V`)).toBe(true);
  // Without such a page in the zone there is no path.
  const lost = run({ moved: { from: 9, to: 400, done: true } });
  expect(runMarks(lost, cells, layout, { block: 4, types: TYPES }).move).toBeNull();
});

test("scanners at one block share a label without a number after the last block", () => {
  const cells = plain(64);
  const layout = stripLayout(64, 4, { width: 900, high_px: 64 });
  const words = (migrate_pfn: number, free_pfn: number) =>
    runMarks(run({ migrate_pfn, free_pfn }), cells, layout, {
      block: 4,
      types: TYPES,
    }).scanners.map((scanner) => scanner.words);
  expect(words(0, 256)).toEqual(["migrate scanner, block 0", "free scanner, at the end"]);
  expect(words(80, 80)).toEqual(["both scanners, block 20", ""]);
  // If one would be pushed away from its scanner, both are short.
  expect(words(4, 12)).toEqual(["migrate, block 1", "free, block 3"]);
});

test("draws a scanner that has left the zone at the end of the zone", () => {
  const cells = plain(4);
  expect([cellOf(cells, 16), scannerCell(cells, 16), scannerCell(cells, 0)]).toEqual([null, 3, 0]);
});

test("compares a block of 16 MiB with one of 2 MiB at the scale of the strip or larger", () => {
  const ppc64 = { pageblock_order: 12, page_size: 4096 };
  const cells = [{ span: 4096 }, { span: 2048 }];
  expect(scaleBars({ block_px: 20 }, cells, ppc64)).toEqual({
    pair: [
      { name: "2\u202fMiB", px: 2.5 },
      { name: "16\u202fMiB", px: 20 },
    ],
    times: 1,
  });
  // Two blocks in a column of 5 px: 2 MiB is less than a pixel.
  const small = scaleBars({ block_px: 5 }, [{ span: 8192 }], ppc64);
  expect(small?.times).toBe(7);
  expect((small?.pair[1]?.px ?? 0) / (small?.pair[0]?.px ?? 1)).toBeCloseTo(8);
  expect(small?.pair[0]?.px).toBeGreaterThanOrEqual(2);
  // If blocks have the usual size there is nothing to compare.
  expect(scaleBars({ block_px: 20 }, cells, { pageblock_order: 9, page_size: 4096 })).toBeNull();
  expect(scaleBars({ block_px: 20 }, [], ppc64)).toBeNull();
});
