// Local shares over time: the engine's rows, lines, marks, and names beside them.

import { expect, test } from "vitest";
import { knownUntil, namePlaces, nearLines, readNear, rowAt } from "./nearness";

/** Rows as the engine writes them: time, then task, local per mille, nodes and scans per
 * process. */
const rowsOf = (...rows: readonly (readonly number[])[]) =>
  Float64Array.from(rows.flatMap(([time = 0, ...of]) => [of.length + 2, time, time, ...of]));

const ROOM = { width: 100, height: 50 };

test("reads rows with their processes and reads an unknown share as null", () => {
  const rows = readNear(rowsOf([0, 7, -1, 1, 0], [10, 7, 250, 4, 1, 9, 1000, 1, 2]));
  expect(rows).toEqual([
    { time_ns: 0, processes: [{ task: 7, local: null, nodes: 1, scans: 0 }] },
    {
      time_ns: 10,
      processes: [
        { task: 7, local: 0.25, nodes: 4, scans: 1 },
        { task: 9, local: 1, nodes: 1, scans: 2 },
      ],
    },
  ]);
  expect(knownUntil(rows)).toBe(10);
  expect(rowAt(rows, 9)?.time_ns).toBe(0);
  expect(rowAt(rows, 99)?.time_ns).toBe(10);
  expect(rowAt([], 0)).toBeNull();
});

test("draws a line through all samples with a gap where there is no share", () => {
  const rows = readNear(
    rowsOf([0, 7, 0, 2, 0], [50, 7, -1, 2, 0], [75, 7, 500, 2, 0], [100, 7, 1000, 2, 0]),
  );
  const [line] = nearLines(rows, ROOM);
  expect(line?.d).toBe("M0.0 50.0M75.0 25.0L100.0 0.0");
  expect(line?.end).toEqual({ x: 100, y: 0, local: 1 });
  // Two nodes: all memory is local by chance, but the process has not converged.
  expect(line?.converged).toBeNull();
});

test("marks a scan where its pass first appears unless marks would be too close", () => {
  const rows = readNear(
    rowsOf(
      [0, 7, 0, 2, 0],
      [50, 7, 0, 2, 1],
      [51, 7, 0, 2, 2],
      [90, 7, 0, 2, 3],
      [100, 7, 0, 2, 3],
    ),
  );
  expect(nearLines(rows, ROOM)[0]?.scans.map(({ x }) => x)).toEqual([50, 90]);
});

test("a process has converged from the sample after which it remains on one node", () => {
  const rows = readNear(
    rowsOf([0, 7, 960, 1, 0], [20, 7, 400, 2, 0], [60, 7, 980, 1, 0], [100, 7, 1000, 1, 0]),
  );
  expect(nearLines(rows, ROOM)[0]?.converged).toMatchObject({ x: 60, time_ns: 60 });
});

test("labels at the ends of lines never overlap and stay inside", () => {
  expect(namePlaces([0, 1, 2, 50], 12, 50)).toEqual([0, 12, 24, 50]);
  const places = namePlaces([50, 50, 50, 50], 12, 50);
  expect([...places].sort((a, b) => a - b)).toEqual([14, 26, 38, 50]);
});
