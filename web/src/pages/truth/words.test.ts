import { expect, test } from "vitest";
import { captureOf, isCgroupRowFar, isFar, madeWords, ratioWords } from "./words";

test("describes the captured run by the name of the capture", () => {
  expect(captureOf("dyn-x86_64-6.1-512m512m-2n-bindhog")).toMatchObject({
    workload: "bindhog",
    where: "6.1, x86_64, 512 MiB + 512 MiB, 2 nodes",
  });
  expect(captureOf("dyn-x86_64-5.10-512m-1n-stormkey-noswap")).toMatchObject({
    workload: "stormkey-noswap",
    where: "5.10, x86_64, 512 MiB, 1 node",
    about: "writers and hogs on slow disks",
  });
  expect(captureOf("dyn-x86_64-6.1-512m512m-2n-zreclaim1").about).toMatch(/zone_reclaim_mode 1/);
  expect(captureOf("dyn-x86_64-6.12-512m-1n-hogmg").about).toMatch(
    /^a process touches .*multi-gen/,
  );
});

test("marks a counter that differs by more than a factor of 1.5 or is not counted", () => {
  expect([1, 1.5, 0.67, 1.51, 0.66, null].map(isFar)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(ratioWords(1.049)).toBe("1.05 times");
  expect(ratioWords(23.4)).toBe("23 times");
  expect(ratioWords(null)).toBe("not counted");
});

test("marks an event of a cgroup that differs at all and a count that differs by more than 1.5", () => {
  const row = (kind: "event" | "count", simulated: number | null) =>
    isCgroupRowFar({ cgroup: "box", name: "max", kind, real: 1960, simulated });
  expect([row("event", 1960), row("event", 1961), row("event", null)]).toEqual([false, true, true]);
  expect([row("count", 2500), row("count", 3000), row("count", null)]).toEqual([false, true, true]);
});

test("says when results were made and by which versions of the engine", () => {
  const of = (made: string, version: string) => ({ made, version });
  expect(madeWords([])).toBe("");
  expect(madeWords([of("2026-11-26", "0.4.0"), of("2026-11-26", "0.4.0")])).toBe(
    "The results were made on 26 November 2026 by engine 0.4.0. ",
  );
  expect(madeWords([of("2026-12-02", "0.5.0"), of("2026-11-26", "0.4.0")])).toBe(
    "The results were made from 26 November 2026 to 2 December 2026 by engine 0.4.0 and 0.5.0. ",
  );
});
