// The cells of CPUs: their places, and that none overlap.

import fc from "fast-check";
import { expect, test } from "vitest";
import { arcBetween, type CellBox, type CpusOfNode, layoutCpus, usedShares } from "./cpus";

const nodesOf = (...counts: readonly number[]): CpusOfNode[] => {
  let next = 0;
  return counts.map((count, id) => ({ id, cpus: Array.from({ length: count }, () => next++) }));
};

test("puts two nodes side by side, like their memory", () => {
  const { cells, names, isDense } = layoutCpus(nodesOf(2, 2), { width_px: 920 });
  expect(isDense).toBe(false);
  expect(new Set(cells.map(({ y }) => y)).size).toBe(1);
  expect(cells.map(({ x }) => x)).toEqual([...cells.map(({ x }) => x)].sort((a, b) => a - b));
  expect(names.map(({ x }) => x)).toEqual([0, 472]);
});

test("draws 64 CPUs densely and 16 CPUs loosely, with equal lines in a node", () => {
  expect(layoutCpus(nodesOf(4, 4, 4, 4), { width_px: 1048 }).isDense).toBe(false);
  const { isDense, cells } = layoutCpus(nodesOf(16, 16, 16, 16), { width_px: 920 });
  expect(isDense).toBe(true);
  const lines = [...new Set(cells.map(({ y }) => y))];
  const lengths = lines.map((line) => cells.filter(({ y }) => y === line).length);
  expect(lengths).toEqual(Array(8).fill(8));
});

test("puts node names above the cells and draws many lines densely on a narrow stage", () => {
  const { isAbove, isDense, names, cells } = layoutCpus(nodesOf(2, 2), { width_px: 358 });
  expect([isAbove, isDense]).toEqual([true, false]);
  expect(names[1]?.y).toBeLessThan(cells[2]?.y ?? 0);
  expect(layoutCpus(nodesOf(8), { width_px: 358 }).isDense).toBe(true);
});

const machines = fc.array(fc.integer({ min: 0, max: 32 }), { minLength: 1, maxLength: 8 });
const overlap = (a: CellBox, b: CellBox) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("gives each CPU one cell inside the panel without overlaps", () => {
  fc.assert(
    fc.property(
      machines,
      fc.integer({ min: 280, max: 1100 }),
      fc.boolean(),
      (counts, width_px, hasTouch) => {
        const nodes = nodesOf(...counts);
        const { cells, height_px } = layoutCpus(nodes, { width_px, hasTouch });
        expect(cells.map(({ cpu }) => cpu)).toEqual(nodes.flatMap(({ cpus }) => cpus));
        for (const [i, cell] of cells.entries()) {
          expect(cell.x + cell.width).toBeLessThanOrEqual(width_px);
          expect(cell.y + cell.height).toBeLessThanOrEqual(height_px);
          expect(cells.slice(0, i).some((other) => overlap(cell, other))).toBe(false);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("an arc runs above the cells of one line or from edge to edge between lines", () => {
  const at = (x: number, y: number): CellBox => ({ x, y, width: 200, height: 50 });
  expect(arcBetween(at(0, 12), at(216, 12)).d).toBe("M22 12C22 3 238 3 238 12");
  expect(arcBetween(at(0, 12), at(216, 74)).d).toBe("M22 62C22 68 238 68 238 74");
  expect(arcBetween(at(216, 74), at(0, 12)).d).toBe("M238 74C238 68 22 68 22 62");
});

test("the shares of the time of a CPU add up to 1, or are 0 before any time has passed", () => {
  const none = { user_ns: 0, kernel_ns: 0, idle_ns: 0, iowait_ns: 0 };
  expect(Object.values(usedShares(none))).toEqual([0, 0, 0, 0]);
  const { user, kernel, iowait, idle } = usedShares({ ...none, user_ns: 3, iowait_ns: 1 });
  expect([user, kernel, iowait, idle]).toEqual([0.75, 0, 0.25, 0]);
});
