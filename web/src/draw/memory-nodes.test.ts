// The matrix of memory by node: how much moved, who moved it, and a constant height.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type MemoryNode, memoryRoom, memoryRows, SQUARE_PX } from "./memory-nodes";

const link = (node: number, busy_ns = 0, queue_ns = 0) => ({
  node,
  direction_busy_ns: busy_ns,
  direction_queue_ns: queue_ns,
  link_busy_ns: busy_ns / 2,
  link_queue_ns: 0,
});
const two = (own: number, remote: number): MemoryNode[] => [
  { id: 0, memory: { bytes: [own, 0], busy_ns: 500, queue_ns: 0, links: [link(1)] } },
  { id: 1, memory: { bytes: [remote, own], busy_ns: 0, queue_ns: 70, links: [link(0, 250, 30)] } },
];

test("a row gives the bytes by node, the load of its links and the bytes of the last step", () => {
  const [first, second] = memoryRows(two(4096, 1024), 1000, two(4096, 960));
  expect(first).toMatchObject({ node: 0, busy: 0.5, queue_ns: 0 });
  expect(first?.flows[0]).toMatchObject({ isOwn: true, more: 0, direction: null, link: null });
  expect(second).toMatchObject({ node: 1, busy: 0, queue_ns: 70 });
  expect(second?.flows[0]).toMatchObject({
    from: 0,
    isOwn: false,
    bytes: 1024,
    more: 64,
    direction: { busy: 0.25, queue_ns: 30 },
    link: { busy: 0.125, queue_ns: 0 },
  });
});

test("areas are shares: a quarter of the bytes gives half the side, and 0 bytes give no square", () => {
  const [first, second] = memoryRows(two(4096, 1024), 1000);
  expect(first?.flows.map(({ side_px }) => side_px)).toEqual([SQUARE_PX, 0]);
  expect(second?.flows.map(({ side_px }) => side_px)).toEqual([SQUARE_PX / 2, SQUARE_PX]);
});

test("shares are 0 before the first step, and a step back adds nothing", () => {
  const rows = memoryRows(two(0, 0), 0, two(64, 64));
  expect(rows.map(({ busy }) => busy)).toEqual([0, 0]);
  expect(rows.flatMap(({ flows }) => flows.map(({ more }) => more))).toEqual([0, 0, 0, 0]);
});

test("gives no rows for a machine without memory bandwidth limits", () => {
  expect(memoryRows([{ id: 0, memory: null }], 1000)).toEqual([]);
});

test("small squares remain visible, and none is larger than its cell", () => {
  const bytes = fc.integer({ min: 1, max: 2 ** 40 });
  fc.assert(
    fc.property(bytes, bytes, (own, remote) => {
      for (const { flows } of memoryRows(two(own, remote), 1000))
        for (const { bytes, side_px } of flows) {
          expect(side_px).toBeLessThanOrEqual(SQUARE_PX);
          expect(side_px > 0).toBe(bytes > 0);
        }
    }),
  );
});

test("puts two nodes on one line on a wide stage and scrolls many nodes sideways", () => {
  expect(memoryRoom(2, 920)).toMatchObject({ isTall: false, isWider: false, height_px: 95 });
  expect(memoryRoom(4, 920)).toMatchObject({ isTall: true, isWider: false });
  expect(memoryRoom(2, 358)).toMatchObject({ isTall: true, isWider: false, width_px: 358 });
  expect(memoryRoom(8, 358)).toMatchObject({ isTall: true, isWider: true, width_px: 1052 });
});
