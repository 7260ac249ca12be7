import { describe, expect, test } from "vitest";
import { arrange } from "./arrange";
import { lruLayout } from "./lru-lists";

const two = { nodes: 2, zones: 3, isPhone: false };

describe("the stage", () => {
  test("has the designed layout at the designed width", () => {
    expect(arrange(1080, two)).toEqual({
      abreast: 2,
      node_px: 512,
      has_lists_beside: false,
      zones_abreast: 3,
      zone_px: 168,
      tiles: 64,
      tile_px: 8,
      cells: 64,
      map_off_px: 0,
      width_px: 1048,
    });
  });

  test("uses smaller tiles beside a side panel, then stacks its nodes", () => {
    expect(arrange(952, two)).toMatchObject({ abreast: 2, node_px: 448, tile_px: 7, zone_px: 146 });
    expect(arrange(951, two)).toMatchObject({ abreast: 1, node_px: 919, tile_px: 11 });
    expect(arrange(768, two)).toMatchObject({ abreast: 1, node_px: 736, tile_px: 11 });
  });

  test("uses smaller tiles immediately on a low stage", () => {
    expect(arrange(1080, { ...two, isLow: true })).toMatchObject({ node_px: 448, tile_px: 7 });
  });

  test("uses smaller tiles, and more of them in a row, for lower maps", () => {
    const low = { ...two, isLow: true };
    const rows = ([0, 1, 2, 3] as const).map((squeeze) => {
      const { tiles, tile_px, cells, node_px } = arrange(1080, { ...low, squeeze });
      expect(tiles * tile_px).toBeLessThanOrEqual(node_px);
      // The count by which a large machine's cells are merged: squeezing does not change it.
      expect(cells).toBe(64);
      return Math.ceil(1024 / tiles) * tile_px;
    });
    expect(rows).toEqual([112, 112, 84, 60]);
    expect(arrange(1080, { ...low, squeeze: 3 }).tile_px).toBe(5);
  });

  test("gives a single node the whole width", () => {
    const one = { nodes: 1, zones: 3, isPhone: false };
    expect(arrange(1080, one)).toMatchObject({ has_lists_beside: true, tiles: 128, tile_px: 8 });
    expect(arrange(768, one)).toMatchObject({ has_lists_beside: false, tiles: 64 });
  });

  test.each([320, 360, 390, 600])("fits a phone of %i px, with two zones side by side", (width) => {
    const { zones_abreast, zone_px, tiles, tile_px } = arrange(width, { ...two, isPhone: true });
    expect(zones_abreast).toBe(width < 470 ? 2 : 3);
    expect(zones_abreast * (zone_px + 4) - 4).toBeLessThanOrEqual(width - 32);
    expect(tiles * tile_px).toBeLessThanOrEqual(width - 32);
    expect(tile_px).toBeGreaterThanOrEqual(9);
  });

  test("puts a pair of narrow nodes side by side on a phone", () => {
    for (const width of [360, 390, 600]) {
      const pair = { nodes: 2, zones: 1, isPhone: true, isPair: true };
      const { abreast, zone_px, width_px } = arrange(width, pair);
      expect(abreast).toBe(2);
      expect(zone_px).toBeGreaterThanOrEqual(136);
      expect(width_px).toBeLessThanOrEqual(width - 32);
    }
  });

  test("puts a pair side by side beside a text if the tails of its lists fit", () => {
    const pair = { nodes: 2, zones: 1, isPhone: false, isPair: true };
    expect(arrange(592, pair)).toMatchObject({ abreast: 2, node_px: 268, tiles: 32, tile_px: 8 });
    expect(arrange(560, pair)).toMatchObject({ abreast: 2, tiles: 32 });
    expect(arrange(480, pair)).toMatchObject({ abreast: 1, tiles: 64 });
    // If tiles of the usual size fit, a pair is laid out like any two nodes.
    expect(arrange(1080, pair)).toEqual(arrange(1080, { ...pair, isPair: false }));
  });

  test("is never wider than the available space", () => {
    for (let width = 320; width < 2000; width += 7) {
      for (const nodes of [1, 2, 8]) {
        for (const zones of [1, 2, 3, 4]) {
          const it = arrange(width, { nodes, zones, isPhone: width < 601 });
          expect(it.width_px).toBeLessThanOrEqual(width - 32);
          expect(it.tiles * it.tile_px).toBeLessThanOrEqual(it.node_px);
          expect(it.zone_px).toBeGreaterThanOrEqual(136);
        }
      }
    }
  });
});

test("has no negative width, however narrow the stage is", () => {
  for (const stage_px of [0, 1, 30, 63, 100, 320]) {
    for (const isPhone of [false, true]) {
      for (const [nodes, zones] of [
        [1, 1],
        [2, 3],
        [8, 4],
      ] as const) {
        const { node_px, zone_px, width_px } = arrange(stage_px, {
          nodes,
          zones,
          isPhone,
          isPair: true,
        });
        expect(Math.min(node_px, zone_px, width_px)).toBeGreaterThanOrEqual(0);
      }
    }
    expect(lruLayout(stage_px - 140, false).width).toBeGreaterThanOrEqual(0);
  }
});
