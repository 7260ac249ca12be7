// The matrix of processes by nodes: areas, rings and the local share.

import fc from "fast-check";
import { expect, test } from "vitest";
import { hintonLayout, processRows } from "./hinton";

const NODES = [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3 }];

const rowOf = (pages: readonly number[], threads: readonly number[]) => {
  const process = { task: 1, name: "bench/1", pages, threads, running: threads, scans: 0 };
  const [row] = processRows([process], NODES, 28);
  if (!row) throw new Error("no row");
  return row;
};

test("an even spread gives squares of a quarter of the area and quarter rings", () => {
  const { places, local } = rowOf([100, 100, 100, 100], [2, 2, 2, 2]);
  expect(places.map(({ side_px }) => side_px)).toEqual([14, 14, 14, 14]);
  expect(places.map(({ ring }) => ring)).toEqual([0.25, 0.25, 0.25, 0.25]);
  expect(local).toBe(0.25);
});

test("a converged process has one full square in one full ring", () => {
  const { places, local } = rowOf([0, 400, 0, 0], [0, 8, 0, 0]);
  expect(places[1]).toMatchObject({ side_px: 28, ring: 1 });
  expect(places[0]).toMatchObject({ side_px: 0, ring: 0 });
  expect(local).toBe(1);
});

test("memory and threads on different nodes give a local share of 0", () => {
  expect(rowOf([400, 0, 0, 0], [0, 8, 0, 0]).local).toBe(0);
});

test("draws nothing and gives no share without pages or threads", () => {
  expect(rowOf([0, 0, 0, 0], [0, 1, 0, 0])).toMatchObject({ local: null, pages: 0 });
  expect(rowOf([4, 0, 0, 0], [0, 0, 0, 0]).local).toBeNull();
});

test("areas are shares of the memory of the process and add up to one square", () => {
  const pages = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(pages, (some) => {
      const all = some.reduce((sum, n) => sum + n, 0);
      fc.pre(all > 0);
      for (const place of rowOf(some, [1, 1, 1, 1]).places) {
        const area = (place.side_px / 28) ** 2;
        // The smallest squares are enlarged to stay visible.
        if (place.side_px > 2) expect(area).toBeCloseTo(place.pages / all, 9);
        else expect(area).toBeGreaterThanOrEqual(place.pages / all - 1e-9);
      }
    }),
  );
});

test("eight nodes fit on a phone, and cells are as high as touch targets if there is room", () => {
  const phone = { width_px: 358, hasTouch: true };
  expect(hintonLayout(4, 4, phone).cell_px).toBe(44);
  const eight = hintonLayout(8, 8, phone);
  expect(eight.width_px).toBeLessThanOrEqual(358);
  expect(eight.cell_px).toBeGreaterThanOrEqual(24);
});
