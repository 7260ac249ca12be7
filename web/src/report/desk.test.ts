import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { engineBuild } from "../engine/build";
import { startMeasureInProcess } from "../engine/in-process-measure.test-support";
import {
  catalog,
  loadEngine,
  loadReporterNow,
  measureNow,
  presetJson,
} from "../engine/loaded.test-support";
import { MeasureClient, type MeasurePort } from "../engine/measure-client";
import { type Compared, scoreOf } from "../engine/report";
import { COSTS, waitWords } from "./costs";
import { comparedRows, experimentOf, forgetResults, ReportDesk, type Result } from "./desk";
import { KeptResults } from "./kept";
import { loadPublications } from "./tables";
import { markOf, ratioWords, valueWords } from "./words";

const { tables, doubts } = await loadPublications();
const fsmark = tables.find(({ id }) => id === "fsmark");
if (!fsmark) throw new Error("fsmark is a table");

const begin = (table = fsmark) =>
  new ReportDesk(table, {
    client: new MeasureClient(startMeasureInProcess),
    load: loadReporterNow,
  });

beforeEach(() => {
  forgetResults();
  vi.stubGlobal("indexedDB", new IDBFactory());
});
afterEach(() => vi.unstubAllGlobals());

/** A result nobody has run. */
const madeUp = (run_ms: number): Result => ({
  rows: [{ metric: "Elapsed time", unit: "s", value: 7 }],
  time_ns: 7e9,
  points: 100,
  waited_ms: 5,
  run_ms,
});
const RUN = { experiment: "fsmark.teach", kernel: "zlcfirst", seed: 1, engine: engineBuild };

test("results outlast a reload, with when they were come by, until they are forgotten", async () => {
  const store = new KeptResults();
  expect(await store.keep(RUN, madeUp(1000))).toBe(true);
  // Of another build of the engine, of another kernel's name, and in no shape of ours.
  await store.keep({ ...RUN, kernel: "zlcreconsider", engine: "other" }, madeUp(2000));
  await store.keep({ ...RUN, kernel: "3.0-rc6-vanilla" }, { run_ms: 3000 } as Result);
  const desk = begin();
  await vi.waitFor(() => expect(desk.store.getState().keeping).toBe("kept"));
  const { results, rows } = desk.store.getState();
  expect(results).toEqual({ zlcfirst: madeUp(1000) });
  expect(rows.find(({ metric }) => metric === "Elapsed time")?.simulated).toContain(7);

  // The newest of an experiment and kernel takes the place of the others.
  await store.keep({ ...RUN, engine: "newer" }, madeUp(4000));
  expect(await store.of("fsmark.teach", engineBuild)).toEqual(new Map());
  expect((await store.of("fsmark.teach", "newer"))?.get("zlcfirst")).toEqual(madeUp(4000));

  await desk.forget();
  expect(desk.store.getState()).toMatchObject({ results: {}, keeping: "none" });
  expect(await store.of("fsmark.teach", "newer")).toEqual(new Map());
  store.close();
});

test("what was deleted elsewhere is not shown from this visit's memory", async () => {
  const store = new KeptResults();
  await store.keep(RUN, madeUp(1000));
  const desk = begin();
  await vi.waitFor(() => expect(desk.store.getState().keeping).toBe("kept"));
  await store.forget("fsmark.teach");
  const again = begin();
  await vi.waitFor(() => expect(again.store.getState().keeping).toBe("none"));
  expect(again.store.getState().results).toEqual({});
  store.close();
});

test("a run is kept as it ends; where storage is denied it is told", async () => {
  const one = { ...fsmark, kernels: fsmark.kernels.slice(0, 1) };
  const first = begin(one);
  await first.run();
  expect(first.store.getState().keeping).toBe("kept");
  const had = first.store.getState().results;
  forgetResults();
  const reloaded = begin(one);
  await vi.waitFor(() => expect(reloaded.store.getState().results).toEqual(had));

  forgetResults();
  vi.stubGlobal("indexedDB", {
    open: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  const denied = begin(one);
  await denied.run();
  expect(denied.store.getState()).toMatchObject({ keeping: "visit", message: null });
  expect(Object.keys(denied.store.getState().results)).toEqual(one.kernels);
}, 120_000);

test("every table has both sizes among the ready-made experiments", () => {
  const known = catalog.presets.map(([id]) => id);
  for (const table of tables) {
    expect(known).toContain(experimentOf(table, "full"));
    expect(known).toContain(experimentOf(table, "teach"));
  }
});

test("every doubt is about a row that is published", () => {
  for (const { table, metric } of doubts) {
    const rows = tables.find(({ id }) => id === table)?.rows ?? [];
    expect(rows.map((row) => row.metric)).toContain(metric);
  }
});

test("the teaching size gives a value for every row and kernel, and is scored", async () => {
  const desk = begin();
  await desk.run();
  const { rows, scoring, results, message, running } = desk.store.getState();
  expect([message, running]).toEqual([null, null]);
  expect(Object.keys(results)).toEqual(fsmark.kernels);
  for (const { metric, simulated } of rows) expect(simulated, metric).not.toContain(null);
  if (!scoring) throw new Error("all have run");
  expect(scoring.cells).toHaveLength(fsmark.rows.length);
  // Counted anew from the marks the page shows.
  const marks = scoring.cells.flat().map(markOf);
  const agree = marks.filter(({ kind }) => kind === "agrees").length;
  const differ = marks.filter(({ kind }) => kind === "differs").length;
  expect(scoring.scores.agree).toBe(agree);
  expect(scoring.scores.scored).toBe(agree + differ);
  expect(agree + differ).toBeGreaterThan(10);
  // Kernels are run as they are: the patches change what is scanned.
  const scanned = rows.find(({ metric }) => metric === "Direct pages scanned");
  expect(new Set(scanned?.simulated).size).toBeGreaterThan(1);
  // The time is a run's own.
  const [baseline] = fsmark.kernels;
  const first = results[baseline ?? ""];
  const elapsed = rows.find(({ metric }) => metric === "Elapsed time")?.simulated[0] ?? 0;
  expect(elapsed).toBeCloseTo((first?.time_ns ?? 0) / 1e9, 1);
}, 120_000);

test.each(tables)("how long $id takes is told before it begins", (table) => {
  const id = experimentOf(table, "teach");
  const asked = { experiment: presetJson(id), moments: [{ kind: "end" }] } as const;
  const measured = measureNow(loadEngine(), 0, asked);
  const position = measured.kind === "measured" && measured.snapshots[0]?.view.position;
  if (!position) throw new Error(`${id} runs to its end`);
  const { points = 0, simulated_s = 0 } = COSTS[id] ?? {};
  for (const part of [position.step / points, position.time_ns / 1e9 / simulated_s]) {
    expect(part).toBeGreaterThan(0.5);
    expect(part).toBeLessThan(2);
  }
});

test("broken off it keeps what is done, and goes on with the others", async () => {
  const desk = begin();
  const counters: number[][] = [];
  desk.store.subscribe(({ running }) => {
    if (running) counters.push([...running.counters]);
    if (running?.place === 1 && running.time_ns > 0) desk.cancel();
  });
  await desk.run();
  const broken = desk.store.getState();
  expect(Object.keys(broken.results)).toEqual(fsmark.kernels.slice(0, 1));
  expect(broken.message).toMatch(/1 of 3 kernels have run/);
  expect([broken.running, broken.scoring]).toEqual([null, null]);
  expect(Math.max(...counters.map(([scanned = 0]) => scanned))).toBeGreaterThan(0);

  // Another visit to the table finds the kernel that has run.
  const again = begin();
  await vi.waitFor(() => expect(Object.keys(again.store.getState().results)).toHaveLength(1));
  const kept = again.store.getState().results[fsmark.kernels[0] ?? ""];
  await again.run();
  const { results, scoring } = again.store.getState();
  expect(results[fsmark.kernels[0] ?? ""]).toBe(kept);
  expect(scoring).not.toBeNull();
}, 120_000);

test("an engine that does not start is said", async () => {
  const broken: MeasurePort = {
    onmessage: null,
    onerror: null,
    postMessage: () => {},
    terminate: () => {},
  };
  const client = new MeasureClient(() => {
    setTimeout(() => {
      const data = { kind: "failed", message: "no memory" } as const;
      broken.onmessage?.(new MessageEvent("message", { data }));
    }, 0);
    return broken;
  });
  const desk = new ReportDesk(fsmark, { client, load: loadReporterNow });
  await desk.run();
  expect(desk.store.getState()).toMatchObject({ message: "no memory", running: null });
});

test("scores of values that were not measured are none", async () => {
  const reporter = await loadReporterNow();
  const row: Compared = {
    metric: "Page Outs",
    unit: "KiB",
    published: [1, 2, 4],
    simulated: [5, 9, null],
  };
  const { cells, scores } = scoreOf(reporter, [row]);
  expect(cells[0]?.[0]).toBe("baseline");
  expect(cells[0]?.[1]).toMatchObject({ published: "up", simulated: "up", agrees: true });
  expect(cells[0]?.[2]).toBe("missing");
  expect(scores).toMatchObject({ scored: 1, agree: 1, moving: 1 });
  expect(comparedRows(fsmark, {})[0]?.simulated).toEqual([null, null, null]);
});

test("words of cells, values and times", () => {
  expect(markOf("noise").kind).toBe("untold");
  expect(markOf({ published: "flat", simulated: "flat", agrees: true, ratio: 1 }).words).toBe(
    "flat in both",
  );
  expect(markOf({ published: "up", simulated: "flat", agrees: false, ratio: 0.5 }).words).toBe(
    "differs",
  );
  expect(ratioWords({ published: "up", simulated: "up", agrees: true, ratio: 0.5 })).toBe(
    "×\u202f0.50",
  );
  expect([valueWords(13_091_697), valueWords(57.514), valueWords(null)]).toEqual([
    "13,091,697",
    "57.51",
    "–",
  ]);
  expect([waitWords(0.3), waitWords(41), waitWords(400)]).toEqual([
    "a second or two",
    "about 40 seconds",
    "about 7 minutes",
  ]);
});
