import { expect, test } from "vitest";
import { document, median, table, together } from "./bench.mjs";

const native = {
  env: { cpu: "a CPU", cpus: 2, quick: true },
  native: { run_teaching_points_per_s: 200e6, pointer_chase_per_s: 5e6, seek_4mi_ms: 40 },
  ratios: { list_touches_to_pointer_chase_native: 10 },
  aims: {
    run_teaching_points_per_s: { wasm_at_least: 100e6 },
    seek_4mi_ms: { at_most: 100 },
    ratios: { wasm_to_native: 0.9, list_touches_to_pointer_chase: 10 },
  },
};
const wasm = { run_teaching_points_per_s: 150e6, seek_4mi_ms: 50 };

test("computes the speed ratio of figures that both builds have", () => {
  const { ratios } = together(native, wasm);
  expect(ratios).toEqual({
    list_touches_to_pointer_chase_native: 10,
    wasm_to_native_run_teaching: 0.75,
  });
});

const visit = {
  first_figure_ms: { home: 1234 },
  frame_work_ms: { page: 7.25, worker: 3 },
  gzipped_bytes: {
    figures: { home: 100_000, workbench: 1, lesson: 1 },
    later: 1,
    engine: 430_000,
    texts: 20_000,
  },
};

test("the table has a line with the target for each figure", () => {
  const report = { ...together(native, wasm), ...visit };
  const lines = table(report).split("\n");
  expect(lines.find((line) => line.startsWith("first figure alive, home"))).toMatch(
    /1\.23 s +at most 2\.5 s$/,
  );
  expect(lines.find((line) => line.startsWith("work a frame at play, page"))).toMatch(
    /7\.3 ms +at most 8 ms$/,
  );
  expect(document(report)).toContain("| engine | 430.0 kB | about 450 kB |");
  expect(lines[0]).toContain("a CPU, 2 CPUs");
  expect(lines.find((line) => line.startsWith("run_teaching"))).toMatch(
    /200\.0 M +150\.0 M +wasm at least 100\.0 M$/,
  );
  expect(lines.find((line) => line.startsWith("seek_4mi"))).toMatch(/at most 100\.00$/);
  expect(lines.find((line) => line.startsWith("pointer_chase"))).toMatch(/5\.0 M$/);
  expect(lines.find((line) => line.startsWith("wasm_to_native"))).toMatch(/0\.75 +at least 0\.9$/);
});

test("the median is the middle value", () => {
  expect(median([3, 1, 2])).toBe(2);
});
