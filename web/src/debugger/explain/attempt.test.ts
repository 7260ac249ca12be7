// Requests for blocks of half a MiB: each has a result, and their numbers match the kernel's
// counters.

import { expect, test } from "vitest";
import { loadEngine, openText, viewNow } from "../../engine/loaded.test-support";
import type { Rec } from "../../engine/record";
import {
  ATTEMPT_RECORDS,
  type Attempt,
  AttemptSum,
  Attempts,
  BLOCK_SOURCES,
  compactedIn,
  sourceOf,
  tookNs,
} from "./attempt";
import { lookingInto, recordsUpTo } from "./looking.test-support";
import { addAttempts, findAttempt } from "./search";

const experiment = (kernel: string) =>
  JSON.stringify({
    machine: {
      id: "series",
      title: "",
      arch: "x86_64",
      page_size_kib: 4,
      nodes: [{ ranges: [{ start_pfn: 4096, pages: 4096 }], cpus: 2 }],
      distances: [[10]],
      hz: 250,
      thp: "never",
      costs: "d2010",
      pcp: true,
      zonelist_order: "default",
      devices: [{ id: "sda", model: "disk_2010", files: true, swap: 32_768 }],
    },
    kernel,
    seed: 1,
    length: "60s",
    workload: {
      id: "series",
      files: [
        { name: "data", size: "6 MiB" },
        { name: "log", size: "4 MiB" },
      ],
      processes: [
        {
          name: "hog",
          program: [
            { op: "map", region: "heap", size: "9 MiB" },
            { op: "touch", region: "heap" },
            { op: "alloc", pool: "slab", order: 0, count: 200, type: "unmovable" },
            {
              op: "repeat",
              times: 1000,
              do: [
                { op: "touch", region: "heap", order: "random", pages: 300 },
                { op: "dontneed", region: "heap", every: 3 },
                { op: "read", file: "data", size: "256 KiB" },
                { op: "write", file: "log", size: "64 KiB" },
                { op: "think", time: "3ms" },
              ],
            },
          ],
        },
        {
          name: "pool",
          start: "100ms",
          program: [
            {
              op: "repeat",
              times: 1000,
              do: [
                {
                  op: "sample",
                  name: "huge page",
                  times: 12,
                  do: [
                    {
                      op: "alloc",
                      pool: "huge",
                      order: 7,
                      count: 1,
                      type: "movable",
                      go_on: true,
                    },
                  ],
                },
                { op: "think", time: "10ms" },
                { op: "release", pool: "huge" },
              ],
            },
          ],
        },
      ],
    },
  });

const STEPS = 900_000;

/** A run of a kernel: its records of attempts, its counters, and a way to ask for its log. */
async function run(kernel: string) {
  const engine = loadEngine();
  openText(engine, 0, experiment(kernel));
  const looking = lookingInto(engine);
  const records = await recordsUpTo(looking, ATTEMPT_RECORDS, STEPS);
  let at = engine.seek(0, STEPS);
  while (!at.done) at = engine.seek_more(0, 1e6);
  return { records, looking, view: viewNow(engine) };
}

/** Attempts that ended, in order. */
function ended(records: readonly Rec[]): Attempt[] {
  const attempts = new Attempts();
  return records.flatMap((record) => attempts.take(record) ?? []);
}

const counted = (all: readonly Attempt[]) =>
  Object.fromEntries(
    BLOCK_SOURCES.map((source) => [source, all.filter((each) => sourceOf(each) === source).length]),
  );

test("direct compaction makes as many blocks as the kernel counts, and each round is one attempt", async () => {
  for (const kernel of ["traceonly", "compacthint", "2.6.38"]) {
    const { records, view } = await run(kernel);
    const all = ended(records);
    const counters = new Map(view.counters);
    const ways = counted(all);
    expect(ways.compaction, kernel).toBe(counters.get("compact_success") ?? 0);
    expect(ways.compaction, kernel).toBeGreaterThan(0);
    const rounds = view.rounds[0]?.took.reduce((sum, [, many]) => sum + many, 0) ?? 0;
    // The trace has only the last 4,096 rounds, and one attempt may be in an unfinished round.
    expect(Math.min(4096, all.length) - rounds, kernel).toBeLessThanOrEqual(1);
    expect(all.length, kernel).toBeGreaterThan(20);
    for (const attempt of all) {
      const { runs, moved } = compactedIn(attempt);
      expect(moved === 0 || runs > 0).toBe(true);
      expect(tookNs(attempt)).toBeGreaterThanOrEqual(0);
      const free = sourceOf(attempt) === "free";
      if (free) expect(attempt.parts.some(({ kind }) => kind === "reclaim")).toBe(false);
    }
  }
}, 60_000);

test("without compaction, a block is free, made by reclaim, or refused", async () => {
  const { records } = await run("lumpyreclaim-traceonly");
  const all = ended(records);
  const { compaction, reclaim } = counted(all);
  expect(compaction).toBe(0);
  expect(reclaim).toBeGreaterThan(0);
  expect(all.every((attempt) => compactedIn(attempt).runs === 0)).toBe(true);
}, 60_000);

test("the kernels of the series compact during reclaim, and the records show it", async () => {
  const { records } = await run("compacthint");
  const parts = ended(records).flatMap((attempt) => attempt.parts);
  const reclaimed = parts.filter((part) => part.kind === "reclaim");
  expect(reclaimed.some(({ runs, moved }) => runs > 0 && moved > 0)).toBe(true);
}, 60_000);

test("finds the same attempt near a step as reading all records, and extends sums correctly", async () => {
  const { records, looking } = await run("traceonly");
  for (const here of [500_000, 700_000, STEPS]) {
    const attempts = new Attempts();
    for (const record of records) if (record.step <= here) attempts.take(record);
    const found = await findAttempt(looking, here, null);
    expect(found?.begun.step).toBe(attempts.of(null)?.begun.step);
    expect(found?.parts.length).toBe(attempts.of(null)?.parts.length);
  }
  const [whole, halves] = [new AttemptSum(), new AttemptSum()];
  await addAttempts(looking, whole, 0, STEPS);
  await addAttempts(looking, halves, 0, 600_000);
  await addAttempts(looking, halves, 600_000, STEPS);
  expect(halves.took).toEqual(whole.took);
  const took = Object.fromEntries(
    BLOCK_SOURCES.map((source) => [source, whole.took[source].length]),
  );
  expect(took).toEqual(counted(ended(records)));
}, 60_000);
