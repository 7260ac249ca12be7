// The timeline's numbers compared with the engine: ranges, samples of zoomed ranges, zooming, interventions.

import fc from "fast-check";
import { expect, test } from "vitest";
import { toggled } from "../app/bookmarks";
import { loadEngine, openText, presetJson, readNow, viewNow } from "../engine/loaded.test-support";
import { answerLog } from "../engine/log";
import type { AskLog } from "../engine/log-turns";
import { readSeries, rowCounter, rowFree, rowStep, rowTime } from "../engine/rows";
import { disturbed, freeName, hog, undisturbed } from "../experiment/disturb";
import { disturbancesOf, forkOf, interventionWords, timeOf } from "../experiment/disturbances";
import { rowsIn, zoomed } from "./frame";
import { finer, stepsOf, totalsOf } from "./moments";
import { totalWords } from "./Tools";

const engine = loadEngine();
openText(engine, 0, presetJson("anon-hog.teach"));
engine.run(0, 300_000, undefined, undefined);
const zones = viewNow(engine).zones.length;
/** pgfree and pgfault, by their indices in the catalog. */
const COUNTERS = [
  { name: "pgfree", pair: [4, 0] },
  { name: "pgfault", pair: [7, 0] },
] as const;
const pairs = COUNTERS.flatMap(({ pair }) => pair);
const whole = readSeries(engine.samples(0, Uint32Array.from(pairs)), zones);
const ask: AskLog = async (act) => {
  const answer = answerLog(engine, 0, { kind: "log", act });
  if (!answer) throw new Error("no log is open");
  return answer;
};

const at = (step: number) => {
  const other = loadEngine();
  openText(other, 0, presetJson("anon-hog.teach"));
  if (step > 0) other.run(0, step, undefined, undefined);
  const view = viewNow(other);
  other.free();
  const counter = (name: string) => view.counters.find(([n]) => n === name)?.[1] ?? 0;
  return { view, counter };
};

test("the samples of a run match the machine at their steps", () => {
  expect(whole.length).toBeGreaterThan(200);
  for (const row of [0, 17, 101, whole.length - 1]) {
    const { view, counter } = at(rowStep(whole, row));
    expect(view.position.time_ns).toBe(rowTime(whole, row));
    expect(view.zones.map(({ free }) => free)).toEqual(
      view.zones.map((_, zone) => rowFree(whole, row, zone)),
    );
    expect([rowCounter(whole, row, 0), rowCounter(whole, row, 1)]).toEqual([
      counter("pgfree"),
      counter("pgfault"),
    ]);
  }
});

test("the totals of a range are the growth of the counters between its ends", async () => {
  for (const [from, to] of [
    [3, 40],
    [100, 101],
    [0, whole.length - 1],
  ] as const) {
    const range = [rowTime(whole, from), rowTime(whole, to)] as const;
    const totals = await totalsOf(ask, whole, range, COUNTERS, () => true);
    const steps = stepsOf(whole, range);
    const [before, after] = [at(steps.from), at(steps.to)];
    expect(totals?.from_ns).toBe(before.view.position.time_ns);
    expect(totals?.to_ns).toBe(after.view.position.time_ns);
    const grown = COUNTERS.map(({ name }) => ({
      name,
      by: after.counter(name) - before.counter(name),
    }));
    expect(totals?.totals).toEqual(grown.filter(({ by }) => by > 0));
  }
});

test("a zoomed range has samples that the whole run does not have", async () => {
  const range = [rowTime(whole, 50), rowTime(whole, 60)] as const;
  const rows = await finer(ask, whole, range, pairs, () => true);
  const fine = readSeries(rows ?? new Float64Array(), zones);
  expect(fine.length).toBeGreaterThan(100);
  expect([rowTime(fine, 0), rowTime(fine, fine.length - 1)]).toEqual([...range]);
  const middle = Math.floor(fine.length / 2);
  const { counter } = at(rowStep(fine, middle));
  expect(rowCounter(fine, middle, 1)).toBe(counter("pgfault"));
});

test("zooming keeps its centre in place and stays within the known run", () => {
  const known = 1e9;
  const stretch = fc
    .tuple(
      fc.double({ min: 0, max: 0.9, noNaN: true }),
      fc.double({ min: 0.001, max: 0.1, noNaN: true }),
    )
    .map(([from, wide]) => [from * known, (from + wide) * known] as const);
  fc.assert(
    fc.property(
      stretch,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0.1, max: 4, noNaN: true }),
      ([from, to], share, by) => {
        const about = from + share * (to - from);
        const next = zoomed([from, to], about, by, known);
        if (!next) return expect((to - from) * by).toBeGreaterThanOrEqual(known);
        expect(next[0]).toBeGreaterThanOrEqual(0);
        expect(next[1]).toBeLessThanOrEqual(known + 1);
        expect(about).toBeGreaterThanOrEqual(next[0] - 1);
        expect(about).toBeLessThanOrEqual(next[1] + 1);
      },
    ),
  );
});

test("rows are stacked and fill the height or make the drawing higher", () => {
  fc.assert(
    fc.property(
      fc.nat(800),
      fc.nat(40),
      fc.integer({ min: 1, max: 20 }),
      fc.nat(8),
      (h, t, z, c) => {
        const rows = rowsIn(h, { tasks: t, zones: z, tracks: c }, true);
        const all = [...rows.tasks, ...rows.zones, ...rows.tracks];
        all.forEach((row, i) => {
          expect(row.top).toBe(all[i - 1]?.bottom ?? row.top);
          expect(row.bottom).toBeGreaterThan(row.top);
        });
        expect(rows.height).toBeGreaterThanOrEqual(Math.max(h, rows.end));
      },
    ),
  );
});

test("the text of the totals gives the pages scanned, or else the counters that grew", () => {
  const scanned = [
    { name: "pgscan_direct", by: 3000 },
    { name: "pgscan_kswapd", by: 1000 },
    { name: "pgsteal_direct", by: 100 },
  ];
  expect(totalWords({ totals: scanned })).toMatch(/^scanned 4,000, freed 100 \(2\.5.%\)$/);
  expect(totalWords({ totals: [{ name: "pgfault", by: 7 }] })).toBe("pgfault +7");
  expect(totalWords({ totals: [] })).toBe("no counter changed");
});

test("adds and removes bookmarks in order of steps", () => {
  const one = toggled([], { step: 9, time_ns: 90 });
  const two = toggled(one, { step: 3, time_ns: 30 });
  expect(two.map(({ step }) => step)).toEqual([3, 9]);
  expect(toggled(two, { step: 9, time_ns: 90 })).toEqual([{ step: 3, time_ns: 30, note: "" }]);
});

const base = presetJson("streaming-reader.teach");

test("every intervention gives an experiment that the engine accepts", () => {
  const acts = [
    { drop_caches: 1 },
    { kill: "reader/1" },
    { start: "reader" },
    { start: hog(freeName("hog", new Set(["hog"])), 40) },
    { slow: { device: "sda", percent: 10 } },
    { set: { "vm.swappiness": "10" } },
  ];
  for (const act of acts) {
    const json = disturbed(base, act, 1_000_000);
    const reading = readNow(json);
    expect(reading.kind, JSON.stringify(reading)).toBe("checked");
    expect(forkOf(json)).toEqual({
      time_ns: 1_010_000,
      words: interventionWords({ at: "", ...act }),
    });
    expect(JSON.parse(undisturbed(json, 0)).interventions).toEqual([]);
  }
  expect(forkOf(base)).toBeNull();
  expect(forkOf(presetJson("watermarks.teach"))).toBeNull();
  expect(disturbancesOf(presetJson("watermarks.teach")).length).toBeGreaterThan(0);
});

test("parses times as the engine does", () => {
  expect(["10s", "250ms", "5us", "5µs", "100ns"].map(timeOf)).toEqual([1e10, 25e7, 5e3, 5e3, 100]);
});
