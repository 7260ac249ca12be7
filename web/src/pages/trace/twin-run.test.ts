import { expect, test } from "vitest";
import { machine } from "../../engine/capture/machine.test-support";
import { packedRow } from "../../engine/rows";
import { grownOf } from "./twin-run";

const MS = 1e6;

test("compares the growth of a counter since the first sample of the workload", () => {
  const row = (time_ms: number, faults: number) =>
    packedRow({
      step: time_ms,
      time_ns: time_ms * MS,
      free: [],
      counters: [faults],
      doing: [],
      reclaimed: [],
    });
  const run = {
    timeline: Float64Array.from([
      ...row(0, 1),
      ...row(2000, 100),
      ...row(2150, 150),
      ...row(2300, 400),
    ]),
    zones: [],
    tasks: [],
    counters: ["pgfault", "pgfree"],
    start_ns: 2000 * MS,
    real_start_ns: 100 * MS,
  };
  const { machine: opened } = machine();
  const rows = [
    [5.9, 900, 0, 5],
    [6.1, 400, 0, 10],
    [6.2, 400, 0, 25],
    // After the end of the run there is nothing to compare.
    [9, 400, 0, 99],
  ];
  const samples = opened.samples && { ...opened.samples, rows };
  expect(grownOf({ ...opened, samples }, run)).toEqual([
    {
      name: "pgfault",
      moments: [
        { time_ns: 200 * MS, real: 0, simulated: 0 },
        { time_ns: 300 * MS, real: 15, simulated: 50 },
      ],
    },
  ]);
});
