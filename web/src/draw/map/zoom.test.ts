import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellLayout, cellOfPfn } from "./cellmap";
import { cellsIn, firstFrame, nextLevel } from "./levels";
import { frameAt, framePlace } from "./pagemap";
import {
  blockLayout,
  carried,
  clamped,
  countedCells,
  edgeMark,
  middleOf,
  portAt,
  revealed,
  zoneLayout,
} from "./zoom";

const BLOCK = 512;

/** A node of up to three zones with holes, as cells of 1 to 8 pageblocks. */
const nodes = fc
  .record({
    starts: fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 6000 })), {
      minLength: 1,
      maxLength: 4,
    }),
    bounds: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 2 }),
    each: fc.constantFrom(1, 2, 4, 8),
    columns: fc.constantFrom(16, 32, 64),
    tile_px: fc.integer({ min: 7, max: 11 }),
  })
  .map(({ starts, bounds, each, columns, tile_px }) => {
    const ranges: [number, number][] = [];
    let at = 1;
    for (const [gap, pages] of starts) {
      ranges.push([at + gap * 100, pages]);
      at += gap * 100 + pages;
    }
    const cuts = [0, ...bounds.sort((a, b) => a - b).map((b) => b * BLOCK), at];
    const zones = cuts.slice(1).flatMap((end, i) => {
      const start_pfn = cuts[i] ?? 0;
      return end > start_pfn
        ? [{ key: `0/Z${i}`, name: `Z${i}`, start_pfn, spanned: end - start_pfn }]
        : [];
    });
    const node = { ranges, zones };
    const map = cellLayout(node, BLOCK * each, columns, tile_px);
    return { node, map, zone: zoneLayout(map, BLOCK) };
  });

const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });

describe("zooming from the node to its pageblocks", () => {
  test("keeps the cell under the pointer in place and shows nothing outside the map", () => {
    fc.assert(
      fc.property(nodes, fc.nat(), share, share, (made, pick, fx, fy) => {
        const { map, zone } = made;
        const cell = pick % map.pfns.length;
        const place = framePlace(map, cell) ?? { x: 0, y: 0 };
        const pointer = { x: place.x + fx * map.tile_px, y: place.y + fy * map.tile_px };
        // The path back takes the top of the box, where the pointer is not over the view.
        const room = { width: map.width, height: Math.max(1, map.height - 24) };
        const at = { x: pointer.x, y: pointer.y - 24 };
        const port = portAt(zone, carried(map, zone, pointer), at, room);
        const under = frameAt(zone, port.x + at.x, port.y + at.y);
        expect(
          under === null ? null : Math.floor(under / (zone.pfns.length / map.pfns.length)),
        ).toBe(cell);
        expect(port).toEqual(clamped(zone, port));
      }),
    );
  });

  test("every existing block has one cell, and its cell leads back to it", () => {
    fc.assert(
      fc.property(nodes, ({ node, zone }) => {
        const seen = new Set<number>();
        for (const [start, pages] of node.ranges) {
          for (let pfn = start; pfn < start + pages; pfn += 97) {
            const cell = cellOfPfn(zone, node.zones, pfn);
            if (cell === null) throw new Error(`${pfn} has no cell`);
            expect(zone.pfns[cell]).toBe(Math.floor(pfn / BLOCK) * BLOCK);
            const { x, y } = middleOf(zone, cell);
            expect(frameAt(zone, x, y)).toBe(cell);
            seen.add(cell);
          }
        }
        // The engine counts exactly the existing blocks, in the same order.
        const places = countedCells(zone, node);
        const counted = [...places].filter((place) => place >= 0);
        expect(counted).toEqual(counted.map((_, i) => i));
        for (const cell of seen) expect(places[cell]).toBeGreaterThanOrEqual(0);
        expect(counted.length).toBe(cellLayout(node, BLOCK, 1, 1).pfns.length);
      }),
    );
  });

  test("draws everything in view and nothing else", () => {
    fc.assert(
      fc.property(nodes, share, share, ({ zone }, fx, fy) => {
        const room = { width: 200, height: 90 };
        const port = clamped(zone, { x: fx * zone.width, y: fy * zone.height, ...room });
        const drawn = new Set(
          cellsIn(zone, port).flatMap(([from, to]) =>
            Array.from({ length: to - from }, (_, i) => from + i),
          ),
        );
        for (let cell = 0; cell < zone.pfns.length; cell += 1) {
          const { x, y } = framePlace(zone, cell) ?? { x: 0, y: 0 };
          const isOut =
            x + 22 <= port.x ||
            y + 22 <= port.y ||
            x >= port.x + port.width ||
            y >= port.y + port.height;
          expect(drawn.has(cell), `${cell}`).toBe(!isOut);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the pages of a block", () => {
  test.each([
    [448, 200, 512, false, 32, 14],
    [512, 200, 512, false, 32, 16],
    [896, 190, 512, false, 64, 14],
    [352, 196, 512, true, 32, 11],
    [448, 200, 4096, false, 32, 14],
    [448, 200, 64, false, 16, 28],
  ])("%d x %d px, %d pages, whole %s: %d in a row of %d px", (w, h, pages, whole, columns, px) => {
    const layout = blockLayout({ width: w, height: h }, 0x1000, pages, whole);
    expect([layout.columns, layout.tile_px]).toEqual([columns, px]);
  });

  test("tiles have 8 to 28 px, rows fit, and each tile maps to its page and back", () => {
    const sizes = fc.record({
      width: fc.integer({ min: 300, max: 1100 }),
      height: fc.integer({ min: 60, max: 400 }),
      order: fc.integer({ min: 4, max: 13 }),
      whole: fc.boolean(),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(sizes, ({ width, height, order, whole, pick }) => {
        const pages = 2 ** order;
        const layout = blockLayout({ width, height }, 0, pages, whole);
        expect(layout.tile_px).toBeGreaterThanOrEqual(whole ? 8 : 14);
        expect(layout.tile_px).toBeLessThanOrEqual(28);
        expect(layout.width).toBeLessThanOrEqual(width);
        const { x, y } = middleOf(layout, pick % pages);
        expect(frameAt(layout, x, y)).toBe(pick % pages);
        const port = revealed(layout, { x: 0, y: 0, width, height }, pick % pages);
        expect(y - port.y).toBeGreaterThan(0);
        expect(y - port.y).toBeLessThan(height);
      }),
    );
  });
});

test("zooms in and out level by level with two levels on a small machine", () => {
  expect(nextLevel("node", 1, false)).toBe("zone");
  expect(nextLevel("block", 1, false)).toBe("page");
  expect(nextLevel("page", 1, false)).toBeNull();
  expect(nextLevel("node", 1, true)).toBe("page");
  expect(nextLevel("page", -1, true)).toBe("node");
  expect(nextLevel("node", -1, true)).toBeNull();
});

test("marks a position outside the view at the nearest edge and points to it", () => {
  const port = { x: 100, y: 100, width: 200, height: 100 };
  expect(edgeMark(port, { x: 150, y: 150 }, 10)).toBeNull();
  expect(edgeMark(port, { x: 500, y: 150 }, 10)).toEqual({ x: 190, y: 50, turn_deg: 0 });
  expect(edgeMark(port, { x: 150, y: 20 }, 10)).toEqual({ x: 50, y: 10, turn_deg: -90 });
});

test("finds the first existing frame of a range", () => {
  const ranges = [
    [100, 10],
    [200, 10],
  ] as const;
  expect(firstFrame(ranges, 0, 50)).toBeNull();
  expect(firstFrame(ranges, 0, 300)).toBe(100);
  expect(firstFrame(ranges, 105, 300)).toBe(105);
  expect(firstFrame(ranges, 110, 201)).toBe(200);
});
