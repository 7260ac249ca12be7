// The timeline's table compared with the real engine: each row is the machine at its step.

import { expect, test } from "vitest";
import { TestBench } from "../engine/loaded.test-support";
import { readSeries } from "../engine/rows";
import { csvText } from "../ui/save";
import { doingWords, tableCells, tableRows } from "./table";

function opened() {
  const bench = new TestBench();
  bench.openPreset("anon-hog.teach");
  const { view, timeline, furthest } = bench.frame;
  const zones = view.zones.map(({ key }) => key);
  const series = readSeries(timeline ?? new Float64Array(), zones.length);
  const tasks = view.tasks.map(({ id, name }) => ({ id, name }));
  return { bench, series, columns: { zones, counters: [], tasks }, end_ns: furthest.time_ns };
}

test("a row has the free pages of the machine at its step", () => {
  const { bench, series, columns, end_ns } = opened();
  const rows = tableRows({ series, from_ns: 0, to_ns: end_ns }, columns);
  expect(rows.length).toBe(series.length);
  for (const row of [rows[1], rows[Math.floor(rows.length / 2)], rows.at(-1)]) {
    if (!row) throw new Error("there are too few moments");
    bench.send({ kind: "go", goal: { kind: "step", step: row.step } });
    const { view } = bench.frame;
    expect(row.time_ns).toBe(view.position.time_ns);
    expect(row.free).toEqual(view.zones.map(({ free }) => free));
  }
});

test("a range has the samples inside it and the one before its start", () => {
  const { series, columns, end_ns } = opened();
  const [from_ns, to_ns] = [end_ns * 0.4, end_ns * 0.6];
  const rows = tableRows({ series, from_ns, to_ns }, columns);
  expect(rows.length).toBeGreaterThan(2);
  expect(rows[0]?.time_ns).toBeLessThanOrEqual(from_ns);
  expect(rows[1]?.time_ns).toBeGreaterThan(from_ns);
  expect(rows.at(-1)?.time_ns).toBeLessThanOrEqual(to_ns);
});

test("a file names its columns and quotes texts that contain commas", () => {
  const columns = { zones: ["0/DMA"], counters: ["pgfault"], tasks: [{ id: 3, name: "a, b/1" }] };
  const row = { step: 8, time_ns: 1500, free: [490], counters: [7], doing: ["io"] as const };
  const rows = [{ ...row, reclaimed: [false] }];
  expect(csvText(tableCells(rows, columns))).toBe(
    'step,time_ns,free_pages 0/DMA,pgfault,"task a, b/1"\r\n8,1500,490,7,I/O wait\r\n',
  );
});

test("reports reclaim between two samples beside any other activity of the task", () => {
  const at = { step: 8, time_ns: 1500, free: [], counters: [] };
  const row = {
    ...at,
    doing: ["asleep", "reclaiming", "gone"] as const,
    reclaimed: [true, true, true],
  };
  expect([0, 1, 2].map((column) => doingWords(row, column))).toEqual([
    "asleep, reclaimed since the previous sample",
    "reclaiming",
    "reclaimed since the previous sample",
  ]);
});
