// The complete process with the real engine: the files of a hog on a kernel 6.1, packed as a capture.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { captureCalls, catalog } from "../loaded.test-support";
import { kindsNamed, recordsIn } from "../record";
import { readSeries, rowDoing, rowFree } from "../rows";
import { recordsOf } from "./lanes";
import { Moments } from "./moments";
import { firstTrace, type Machine, machineOf, takeIn } from "./open";

const FOLDER = fileURLToPath(new URL("../../../../e2e/fixtures/hog", import.meta.url));

async function opened(): Promise<{ machine: Machine; moments: Moments }> {
  const files = readdirSync(FOLDER).map(
    (name) => new File([readFileSync(join(FOLDER, name))], name),
  );
  const calls = captureCalls();
  const intake = await takeIn(files, calls, () => {});
  const trace = firstTrace(intake.traces);
  const machine = machineOf(intake, calls, trace);
  return { machine, moments: new Moments(machine, trace?.source ?? null) };
}

test("opens a capture of a real kernel with its events, its samples and its twin", async () => {
  const { machine, moments } = await opened();
  expect(machine.refusals).toEqual([]);
  expect(machine.trace?.info.events).toBe(3988);
  expect(machine.trace?.others).toEqual(["trace-key.txt"]);
  expect(machine.capture).toMatchObject({
    kind: "run",
    kernel: "6.1",
    workload: expect.stringMatching(/hog/),
  });
  expect(machine.capture?.twin).toHaveProperty("experiment");
  expect(machine.zones.slice(0, machine.sampled).map(({ key }) => key)).toEqual([
    "0/DMA",
    "0/DMA32",
  ]);

  const info = machine.trace?.info;
  if (!info) throw new Error("there is no trace");
  const records = recordsOf(catalog.records, info);
  const kinds = kindsNamed({ records }, ["mm_vmscan_lru_shrink_inactive"]);
  const filter = { kinds, task: null, zone: null, pages: null };
  const { rows } = moments.answer({ kind: "begin", from: 0, to: info.stored, filter });
  const [first] = recordsIn(rows, { records });
  expect(first?.values).toMatchObject({ nid: 0, nr_scanned: 7, nr_reclaimed: 0, nr_ref_keep: 7 });

  const act = {
    kind: "sample",
    from: 0,
    to: info.stored,
    every: 1,
    every_ns: 0,
    pairs: [],
  } as const;
  const series = readSeries(moments.answer(act).rows, machine.sampled);
  expect(rowFree(series, 0, 1)).toBe(100_320);
  const kswapd = info.tasks.find(({ comm }) => comm === "kswapd0")?.id ?? -1;
  const doing = Array.from({ length: series.length }, (_, row) => rowDoing(series, row, kswapd));
  expect(doing).toContain("reclaiming");
});
