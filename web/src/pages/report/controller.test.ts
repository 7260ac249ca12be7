import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { engineBuild } from "../../engine/build";
import { presetsOf } from "../../engine/catalog";
import { deferred } from "../../engine/deferred.test-support";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import {
  catalog,
  loadEngine,
  measureNow,
  presetJson,
  readTruth,
  textCalls,
} from "../../engine/loaded.test-support";
import type { MeasureEvent, MeasurePort, MeasureRequest } from "../../engine/measure-client";
import { type Compared, type Reporter, scoreOf } from "../../engine/report";
import { proofJson } from "../../export/evidence";
import { RunHistory } from "../../keep/history";
import { comparedRows, type FullRun } from "../../lessons/full-size";
import { experimentsOf, isOffered, loadPublications } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { COSTS } from "../../runs/cost";
import { widthFor } from "../../runs/machine-resources";
import { RunPool } from "../../runs/pool";
import { KeptResults, type Result } from "../../runs/results";
import { Visit } from "../../runs/visit";
import { ReportController } from "./controller";
import { withFoundations } from "./proofs";
import { firstSize, sizesOf, unscaledIn } from "./sizes";
import { markOf } from "./words";

const { runs } = readTruth().teaching;
const { tables: published, doubts } = await loadPublications();
const tables = published.filter(isOffered);
const fsmark = tables.find(({ id }) => id === "fsmark");
if (!fsmark) throw new Error("fsmark is a table");
const FSMARK: PublishedTable = fsmark;

const begun: ReportController[] = [];
let visit = new Visit();
const forgetVisit = () => {
  visit = new Visit();
};
const poolOf = (cores: number, start = startMeasureInProcess) =>
  new RunPool({ start, resources: () => ({ cores, memory_gib: null, isNarrow: false }) });
/** At teaching size, because its runs are short. */
function begin(table: PublishedTable = FSMARK, cores = 1, start = startMeasureInProcess) {
  const controller = new ReportController(table, {
    pool: poolOf(cores, start),
    visit,
    load: async () => textCalls(),
  });
  controller.choose("teach");
  begun.push(controller);
  return controller;
}

beforeEach(() => {
  forgetVisit();
  vi.stubGlobal("indexedDB", new IDBFactory());
});
afterEach(() => {
  for (const controller of begun.splice(0)) controller.dispose();
  vi.unstubAllGlobals();
});

/** An invented result. */
const madeUp = (run_ms: number): Result => ({
  rows: [{ metric: "Percentage direct scans", unit: "%", value: 7 }],
  delays: [],
  time_ns: 7e9,
  points: 100,
  waited_ms: 5,
  run_ms,
});
const RUN = { experiment: "fsmark.teach", kernel: "zlcfirst", seed: 1, engine: engineBuild };

test("results and their dates survive a reload until they are deleted", async () => {
  const store = new KeptResults();
  expect(await store.keep(RUN, madeUp(1000))).toBe(true);
  // One of another engine build, and one with a form that is not ours.
  await store.keep({ ...RUN, kernel: "zlcreconsider", engine: "other" }, madeUp(2000));
  await store.keep({ ...RUN, kernel: "3.0-rc6-vanilla" }, { run_ms: 3000 } as Result);
  const controller = begin();
  await expect.poll(() => controller.store.getState().keeping).toBe("kept");
  const { results, rows } = controller.store.getState();
  expect(results).toEqual({ zlcfirst: madeUp(1000) });
  expect(rows.find(({ metric }) => metric === "Percentage direct scans")?.simulated).toContain(7);

  // The newest result of an experiment and kernel replaces the others.
  await store.keep({ ...RUN, engine: "newer" }, madeUp(4000));
  expect(await store.of("fsmark.teach", engineBuild)).toEqual(new Map());
  expect((await store.of("fsmark.teach", "newer"))?.get("zlcfirst")).toEqual(madeUp(4000));

  await controller.forget();
  expect(controller.store.getState()).toMatchObject({ results: {}, keeping: "none" });
  expect(await store.of("fsmark.teach", "newer")).toEqual(new Map());
  store.close();
});

test("does not show results of this visit that were deleted elsewhere", async () => {
  const store = new KeptResults();
  await store.keep(RUN, madeUp(1000));
  const controller = begin();
  await expect.poll(() => controller.store.getState().keeping).toBe("kept");
  await store.forget("fsmark.teach");
  const again = begin();
  await expect.poll(() => again.store.getState().keeping).toBe("none");
  expect(again.store.getState().results).toEqual({});
  store.close();
});

test("stores a run when it ends and reports denied storage", async () => {
  const one = { ...fsmark, kernels: fsmark.kernels.slice(0, 1) };
  const first = begin(one);
  await first.run();
  expect(first.store.getState().keeping).toBe("kept");
  const had = first.store.getState().results;
  const proofs = withFoundations(first.proofs(), catalog);
  expect(proofs).toHaveLength(1);
  // The file says what the run rests on, by name.
  expect(JSON.parse(proofJson(proofs)).rests_on.functions[0].calls).toBeGreaterThan(0);
  expect(proofs[0]?.evidence).toMatchObject({ position: { ended: true }, panic: null });
  expect(proofs[0]?.evidence.hash).toMatch(/^[0-9a-f]{16}$/);
  const history = new RunHistory();
  await history.read();
  expect(history.store.getState().runs).toMatchObject([
    { source: "report", hash: proofs[0]?.evidence.hash, address: "#/report/fsmark" },
  ]);
  history.dispose();
  forgetVisit();
  const reloaded = begin(one);
  await expect.poll(() => reloaded.store.getState().results).toEqual(had);
  expect(withFoundations(reloaded.proofs(), catalog)).toEqual(proofs);

  forgetVisit();
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

test("drops a late score after another size was chosen", async () => {
  const store = new KeptResults();
  for (const kernel of fsmark.kernels) await store.keep({ ...RUN, kernel }, madeUp(1000));
  const reporter = deferred<Reporter>();
  const controller = new ReportController(fsmark, { visit, load: () => reporter.promise });
  controller.choose("teach");
  const shown: string[] = [];
  controller.store.subscribe(({ size, results }) =>
    shown.push(`${size} ${Object.keys(results).length}`),
  );
  // A stored result of an earlier visit, which is scored late.
  await store.of("fsmark.teach", engineBuild);
  await store.of("fsmark.teach", engineBuild);
  controller.choose("full");
  await expect.poll(() => shown).toContain("full 0");
  reporter.resolve(textCalls());
  await store.of("fsmark.teach", engineBuild);
  expect(shown).not.toContain("full 3");
  expect(controller.store.getState()).toMatchObject({ size: "full", results: {}, scoring: null });
  controller.choose("teach");
  await expect.poll(() => controller.store.getState().scoring).not.toBeNull();
  store.close();
});

test("results that are deleted while they are being read remain deleted", async () => {
  const store = new KeptResults();
  await store.keep(RUN, madeUp(1000));
  const controller = begin();
  await controller.forget();
  expect(controller.store.getState()).toMatchObject({ results: {}, message: "Forgotten." });
  await store.of("fsmark.teach", engineBuild);
  expect(controller.store.getState().results).toEqual({});
  store.close();
});

test("an interrupted run neither reports to nor ends the run that replaces it", async () => {
  const one = { ...fsmark, kernels: fsmark.kernels.slice(0, 1) };
  const ports: { port: MeasurePort; requests: MeasureRequest[] }[] = [];
  const controller = begin(one, 1, () => {
    const requests: MeasureRequest[] = [];
    const port: MeasurePort = {
      onmessage: null,
      onerror: null,
      terminate: () => {},
      postMessage: (request) => void requests.push(request),
    };
    ports.push({ port, requests });
    return port;
  });
  const hear = (n: number, data: MeasureEvent) =>
    ports[n]?.port.onmessage?.(new MessageEvent("message", { data }));
  const ready = { kind: "ready", version: "", presets: presetsOf(catalog) } as const;
  const asked = (n: number) => expect.poll(() => ports[n]?.requests).toHaveLength(1);
  const first = controller.run();
  await expect.poll(() => ports).toHaveLength(1);
  hear(0, ready);
  await asked(0);
  controller.cancel();
  const second = controller.run();
  // The second run waits for the state that the first one saves.
  expect(ports).toHaveLength(1);
  hear(0, { kind: "stopped", id: 0 });
  await expect.poll(() => ports).toHaveLength(2);
  hear(1, ready);
  await asked(1);
  await first;
  expect(controller.store.getState()).toMatchObject({
    message: null,
    running: [{ doing: "runs" }],
  });
  const position = { step: 7, time_ns: 70, ended: false };
  hear(0, { kind: "measuring", id: 0, position, counters: [1, 1, 1] });
  expect(controller.store.getState().running?.[0]?.time_ns).toBe(0);
  hear(1, { kind: "measuring", id: 0, position, counters: [2, 2, 2] });
  expect(controller.store.getState().running?.[0]?.counters).toEqual([2, 2, 2]);
  controller.cancel();
  hear(1, { kind: "stopped", id: 0 });
  await second;
});

test("every table has both sizes among the ready-made experiments", () => {
  const known = catalog.presets.map(([id]) => id);
  for (const table of tables) {
    for (const size of ["full", "teach"] as const) {
      expect(known).toEqual(expect.arrayContaining([...experimentsOf(table, size)]));
    }
  }
});

test("tables of one experiment share its run, and a table of two takes each row from its experiment", async () => {
  const rows = FSMARK.rows.filter(({ metric }) => metric === "Percentage direct scans");
  const kernels = ["zlcfirst"];
  const shared = { ...FSMARK, id: "other", experiment: "fsmark", rows, kernels };
  const first = begin({ ...FSMARK, kernels });
  await first.run();
  const had = first.store.getState().results.zlcfirst;
  const second = begin(shared);
  await expect.poll(() => second.store.getState().results.zlcfirst).toBe(had);

  const [row] = rows;
  if (!row) throw new Error("a row");
  const elapsed = { ...row, metric: "Elapsed time", experiment: "large-dd" };
  const two = begin({ ...shared, rows: [row, elapsed] });
  await expect.poll(() => two.store.getState().results).toEqual({});
  let ran = 0;
  two.store.subscribe(({ running }) => {
    ran = Math.max(ran, running?.length ?? 0);
  });
  await two.run();
  expect(ran).toBe(1);
  const both = two.store.getState().results.zlcfirst;
  expect(both?.rows.map(({ metric }) => metric)).toEqual([
    "Percentage direct scans",
    "Elapsed time",
  ]);
  expect(both?.rows[0]).toEqual(had?.rows.find(({ metric }) => metric === row.metric));
  expect(both?.time_ns).toBeGreaterThan(had?.time_ns ?? 0);
}, 120_000);

test("every doubt concerns a published row", () => {
  for (const { table, metric } of doubts) {
    const rows = tables.find(({ id }) => id === table)?.rows ?? [];
    expect(rows.map((row) => row.metric)).toContain(metric);
  }
});

test("the teaching size has a value for every row and kernel and scores rows that do not depend on size", async () => {
  const controller = begin();
  await controller.run();
  const { rows, scoring, results, message, running } = controller.store.getState();
  expect([message, running]).toEqual([null, null]);
  expect(Object.keys(results)).toEqual(fsmark.kernels);
  const metrics = fsmark.rows.map(({ metric }) => metric);
  for (const result of Object.values(results)) {
    expect(result.rows.map(({ metric }) => metric)).toEqual(expect.arrayContaining(metrics));
  }
  for (const { metric, simulated } of rows) expect(simulated, metric).not.toContain(null);
  expect(rows.map(({ metric }) => metric)).toEqual(["Percentage direct scans"]);
  if (!scoring) throw new Error("all have run");
  expect(scoring.cells).toHaveLength(rows.length);
  // Counted again from the marks on the page.
  const marks = scoring.cells.flat().map(markOf);
  const agree = marks.filter(({ kind }) => kind === "agrees").length;
  const differ = marks.filter(({ kind }) => kind === "differs").length;
  expect(scoring.scores.agree).toBe(agree);
  expect(scoring.scores.scored).toBe(agree + differ);
  expect(agree + differ).toBeGreaterThan(0);
  const of = (kernel: string | undefined, metric: string) =>
    results[kernel ?? ""]?.rows.find((row) => row.metric === metric)?.value ?? 0;
  // Each kernel runs unchanged: the patches change the number of scanned pages.
  const scanned = fsmark.kernels.map((kernel) => of(kernel, "Direct pages scanned"));
  expect(new Set(scanned).size).toBeGreaterThan(1);
  // The time is that of the run itself.
  const [baseline] = fsmark.kernels;
  const elapsed = of(baseline, "Elapsed time");
  expect(elapsed).toBeCloseTo((results[baseline ?? ""]?.time_ns ?? 0) / 1e9, 1);
}, 120_000);

test("a report starts at the published size if its runs are short", () => {
  const sizeOf = (id: string, cores: number) => {
    const table = tables.find((each) => each.id === id);
    if (!table) throw new Error(`${id} is a table`);
    const controller = new ReportController(table, { pool: poolOf(cores), visit: new Visit() });
    const { size, rows } = controller.store.getState();
    controller.dispose();
    return [size, rows.length === table.rows.length];
  };
  expect(sizeOf("fsmark", 1)).toEqual(["full", true]);
  expect(sizeOf("large-dd", 3)).toEqual(["full", true]);
  // The published size takes long, but no row can be compared at the smaller one.
  expect(sizeOf("tiobench", 1)).toEqual(["full", true]);
});

test("starts with the smaller size if its rows are comparable and the other size takes long", () => {
  const shares = { rows: fsmark.rows.filter((row) => unscaledIn(row) === null) };
  const rates = { rows: fsmark.rows.filter((row) => unscaledIn(row) !== null) };
  expect([firstSize(shares, 119), firstSize(shares, 120), firstSize(shares, null)]).toEqual([
    "full",
    "teach",
    "teach",
  ]);
  expect([sizesOf(rates), firstSize(rates, 500)]).toEqual([["full"], "full"]);
});

test.each([...new Set(tables.flatMap((table) => experimentsOf(table, "teach")))])(
  "the expected length of %s is right within a factor of two",
  (id) => {
    // Uses the run of the engine's build, because one of these runs takes half a minute.
    const of = tables.find((table) => experimentsOf(table, "teach").includes(id));
    const kernel = of?.kernels[0];
    const ran = runs.find((each) => each.experiment === id && each.kernel === kernel);
    if (!ran) throw new Error(`the engine's build has not run ${id} with ${kernel}`);
    const { points = 0, simulated_s = 0 } = COSTS[id] ?? {};
    for (const part of [ran.steps / points, ran.time_ns / 1e9 / simulated_s]) {
      expect(part).toBeGreaterThan(0.5);
      expect(part).toBeLessThan(2);
    }
  },
);

test("the run lengths stored in the build of the engine equal those of runs here", () => {
  const { kernel, steps, time_ns } =
    runs.find(({ experiment }) => experiment === "tiobench.teach") ?? {};
  const experiment = JSON.stringify({ ...JSON.parse(presetJson("tiobench.teach")), kernel });
  const measured = measureNow(loadEngine(), 0, { experiment, moments: [{ kind: "end" }] });
  const position = measured.kind === "measured" && measured.snapshots[0]?.view.position;
  expect(position).toMatchObject({ step: steps, time_ns });
}, 120_000);

test("an interrupted run keeps finished kernels and continues with the others", async () => {
  const controller = begin();
  const counters: number[][] = [];
  controller.store.subscribe(({ running }) => {
    for (const each of running ?? []) counters.push([...each.counters]);
    if ((running?.[1]?.time_ns ?? 0) > 0) controller.cancel();
  });
  await controller.run();
  const broken = controller.store.getState();
  expect(Object.keys(broken.results)).toEqual(fsmark.kernels.slice(0, 1));
  expect(broken.message).toMatch(/1 of 3 kernels finished/);
  expect([broken.running, broken.scoring]).toEqual([null, null]);
  expect(Math.max(...counters.map(([scanned = 0]) => scanned))).toBeGreaterThan(0);

  // Another visit to the table finds the finished kernel.
  const again = begin();
  await expect.poll(() => Object.keys(again.store.getState().results)).toHaveLength(1);
  const kept = again.store.getState().results[fsmark.kernels[0] ?? ""];
  await again.run();
  const { results, scoring } = again.store.getState();
  expect(results[fsmark.kernels[0] ?? ""]).toBe(kept);
  expect(scoring).not.toBeNull();
}, 120_000);

test("parallel runs give the same results as serial ones in the order of the table", async () => {
  const alone = begin();
  await alone.run();
  const one = alone.store.getState();
  vi.stubGlobal("indexedDB", new IDBFactory());
  forgetVisit();
  const together = begin(fsmark, 3);
  let most = 0;
  const ended: string[] = [];
  together.store.subscribe(({ running }) => {
    const at = running?.filter(({ doing }) => doing === "runs") ?? [];
    most = Math.max(most, at.filter(({ time_ns }) => time_ns > 0).length);
    for (const { kernel, doing } of running ?? []) {
      if (doing === "done" && !ended.includes(kernel)) ended.push(kernel);
    }
    expect(running?.map(({ kernel }) => kernel) ?? fsmark.kernels).toEqual(fsmark.kernels);
  });
  await together.run();
  const three = together.store.getState();
  expect(most).toBe(3);
  expect(new Set(ended)).toEqual(new Set(fsmark.kernels));
  expect(Object.keys(three.results)).toEqual(fsmark.kernels);
  const runOf = ({ rows, time_ns, points }: Result) => ({ rows, time_ns, points });
  for (const kernel of fsmark.kernels) {
    const [a, b] = [one.results[kernel], three.results[kernel]];
    if (!a || !b) throw new Error(`${kernel} has run`);
    expect(JSON.stringify(runOf(b))).toBe(JSON.stringify(runOf(a)));
  }
  expect(three.scoring).toEqual(one.scoring);
}, 120_000);

test("an interruption stops all parallel runs and keeps the finished ones", async () => {
  const controller = begin(fsmark, 2);
  controller.store.subscribe(({ running }) => {
    if (running?.[2]?.doing === "runs" && running[2].time_ns > 0) controller.cancel();
  });
  await controller.run();
  const { results, message, running } = controller.store.getState();
  const done = Object.keys(results).length;
  // Two ran in parallel; the third started when one of them had ended.
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(3);
  expect(message).toContain(`${done} of 3 kernels finished`);
  expect(running).toBeNull();
}, 120_000);

/** A worker that works like one in this process, until `falls` makes it fail. */
function falling(falls: (request: MeasureRequest) => boolean): () => MeasurePort {
  return () => {
    const real = startMeasureInProcess();
    const port: MeasurePort = {
      onmessage: null,
      onerror: null,
      terminate: () => {
        port.onmessage = null;
      },
      postMessage: (request) => {
        if (!falls(request)) return real.postMessage(request);
        const data: MeasureEvent = { kind: "failed", message: "out of memory" };
        setTimeout(() => port.onmessage?.(new MessageEvent("message", { data })), 0);
      },
    };
    real.onmessage = (message) => port.onmessage?.(message);
    return port;
  };
}

const kernelOf = (request: MeasureRequest): string =>
  request.kind === "measure" ? JSON.parse(request.measure.experiment).kernel : "";

test("repeats the run of a failed worker without other workers", async () => {
  const asked: string[] = [];
  const controller = begin(
    fsmark,
    3,
    falling((request) => {
      const kernel = kernelOf(request);
      if (kernel) asked.push(kernel);
      return kernel === "zlcfirst" && asked.filter((each) => each === kernel).length === 1;
    }),
  );
  await controller.run();
  const { results, message, scoring } = controller.store.getState();
  expect(message).toBeNull();
  expect(Object.keys(results)).toEqual(fsmark.kernels);
  expect(scoring).not.toBeNull();
  // The repeated kernel comes last, after the others have ended.
  expect(asked).toHaveLength(4);
  expect(asked.at(-1)).toBe("zlcfirst");
}, 120_000);

test("reports a kernel that also fails alone and keeps the others", async () => {
  const controller = begin(
    fsmark,
    2,
    falling((request) => kernelOf(request) === "zlcfirst"),
  );
  await controller.run();
  const { results, message, running } = controller.store.getState();
  expect(Object.keys(results)).toEqual(fsmark.kernels.filter((each) => each !== "zlcfirst"));
  expect(message).toBe("zlcfirst stopped: out of memory.");
  expect(running).toBeNull();
}, 120_000);

test("runs kernels one after the other if only one worker can start", async () => {
  let living = 0;
  let most = 0;
  const controller = begin(fsmark, 3, () => {
    if (living > 0) throw new RangeError("no second one");
    living += 1;
    most = Math.max(most, living);
    const port = startMeasureInProcess();
    port.terminate = () => {
      living -= 1;
    };
    return port;
  });
  await controller.run();
  const { results, message } = controller.store.getState();
  expect([message, most, living]).toEqual([null, 1, 0]);
  expect(Object.keys(results)).toEqual(fsmark.kernels);
}, 120_000);

test.each([1, 3])("reports an engine that does not start, on %i cores", async (cores) => {
  let started = 0;
  const controller = begin(fsmark, cores, () => {
    started += 1;
    const broken: MeasurePort = {
      onmessage: null,
      onerror: null,
      postMessage: () => {},
      terminate: () => {},
    };
    setTimeout(() => {
      const data = { kind: "failed", message: "no memory" } as const;
      broken.onmessage?.(new MessageEvent("message", { data }));
    }, 0);
    return broken;
  });
  await controller.run();
  expect(controller.store.getState()).toMatchObject({ message: "no memory", running: null });
  // Alone it was started once, not once for each kernel.
  expect(started).toBe(cores === 1 ? 1 : cores + 1);
});

test("leaves nothing running when it is interrupted while the engine loads", async () => {
  let started = 0;
  let ended = 0;
  const controller = begin(fsmark, 2, () => {
    started += 1;
    return {
      onmessage: null,
      onerror: null,
      postMessage: () => {},
      terminate: () => {
        ended += 1;
      },
    };
  });
  const run = controller.run();
  expect(controller.store.getState().running).toHaveLength(3);
  await expect.poll(() => started).toBe(2);
  controller.cancel();
  await run;
  expect(controller.store.getState().running).toBeNull();
  expect(ended).toBe(2);
});

test("runs as many kernels in parallel as there are kernels, cores and memory", () => {
  const many = { cores: 16, memory_gib: 32, isNarrow: false };
  expect(widthFor(3, 374, many)).toBe(3);
  expect(widthFor(2, 374, many)).toBe(2);
  expect(widthFor(20, 1, many)).toBe(16);
  expect(widthFor(3, 374, { ...many, cores: 2 })).toBe(2);
  expect(widthFor(3, 374, { ...many, cores: 0 })).toBe(1);
  expect(widthFor(3, 374, { ...many, memory_gib: 8 })).toBe(3);
  expect(widthFor(3, 374, { ...many, memory_gib: 4 })).toBe(1);
  expect(widthFor(3, 13, { ...many, memory_gib: 0.5 })).toBe(3);
  // A browser that does not report its memory counts as a usual notebook.
  expect(widthFor(3, 374, { ...many, memory_gib: null })).toBe(3);
  expect(widthFor(3, 880, { ...many, memory_gib: null })).toBe(1);
  // After parallel runs ended the page once, it does not try again.
  expect(widthFor(3, 13, { ...many, isNarrow: true })).toBe(1);
});

test("does not score values that were not measured", async () => {
  const reporter = textCalls();
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

test("shows a row from which the experiment was inferred, without a score", async () => {
  const highalloc = published.find(({ id }) => id === "stress-highalloc");
  if (!highalloc) throw new Error("no table");
  const rows = comparedRows(highalloc, {}).map((row) => ({ ...row, simulated: row.published }));
  const { cells, scores } = scoreOf(await textCalls(), rows);
  const place = rows.findIndex(({ unscored }) => unscored !== undefined);
  expect(rows[place]?.metric).toBe("User/Sys time");
  expect(cells[place]).toEqual(["baseline", ...Array(5).fill("unscored")]);
  expect(cells[place - 1]?.[1]).toMatchObject({ agrees: true });
  expect(cells[place + 1]?.[1]).toMatchObject({ agrees: true });
  expect(scores.scored).toBe((rows.length - 1) * 5);
  expect(markOf("unscored")).toMatchObject({ words: "shown, not scored", kind: "unscored" });
});

test("compares a row by the counting rule of its source", () => {
  const vmscan = published.find(({ id }) => id === "stress-highalloc-vmscan");
  if (!vmscan) throw new Error("no table");
  const told = [
    { metric: "Kswapd pages scanned", unit: "pages", value: 90 },
    { metric: "Kswapd pages scanned, active lists too", unit: "pages", value: 100 },
  ];
  const rows = comparedRows(vmscan, { traceonly: { rows: told } });
  const row = rows.find(({ metric }) => metric === "Kswapd pages scanned");
  expect(row?.simulated).toEqual([null, 100, null, null, null, null]);
});

/** An invented committed run: every row of its table has the same value. */
const committed = (kernel: string, value: number): FullRun => ({
  experiment: "fsmark",
  kernel,
  made: "2026-11-26",
  version: "0.4.0",
  end: { step: 1, time_ns: 1 },
  rows: FSMARK.rows.map(({ metric, unit }) => ({ metric, unit, value })),
  delays: [],
});

test("opens a report with the committed full-size results and scores them when the engine is ready", async () => {
  const runs = FSMARK.kernels.map((kernel, i) => committed(kernel, i + 1));
  const load = async () => textCalls();
  const controller = new ReportController(FSMARK, { visit, load, committed: runs });
  begun.push(controller);
  // Before any wait.
  const { standing, results } = controller.store.getState();
  expect(results).toEqual({});
  expect(standing.rows).toHaveLength(FSMARK.rows.length);
  expect(new Set(standing.rows.map(({ simulated }) => simulated.join()))).toEqual(
    new Set(["1,2,3"]),
  );
  await expect.poll(() => controller.store.getState().standing.scoring).not.toBeNull();
  // The teaching size does not change them.
  controller.choose("teach");
  expect(controller.store.getState().standing.rows).toEqual(standing.rows);
  expect(controller.store.getState().standing.here).toEqual([]);
});

test("a full-size run made in the browser replaces the committed one and is listed", async () => {
  const store = new KeptResults();
  const row = { metric: "Elapsed time", unit: "s", value: 99 };
  await store.keep({ ...RUN, experiment: "fsmark" }, { ...madeUp(1), rows: [row] });
  const runs = FSMARK.kernels.map((kernel) => committed(kernel, 1));
  const controller = new ReportController(FSMARK, {
    visit,
    load: async () => textCalls(),
    committed: runs,
  });
  begun.push(controller);
  await expect.poll(() => controller.store.getState().standing.here).toEqual(["zlcfirst"]);
  const { rows } = controller.store.getState().standing;
  expect(rows.find(({ metric }) => metric === row.metric)?.simulated).toEqual([1, 99, 1]);
});

test("shows committed results even if no engine can be loaded", async () => {
  const runs = FSMARK.kernels.map((kernel) => committed(kernel, 1));
  const load = () => Promise.reject(new Error("no engine"));
  const controller = new ReportController(FSMARK, { visit, load, committed: runs });
  begun.push(controller);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { rows, scoring } = controller.store.getState().standing;
  expect([rows[0]?.simulated, scoring]).toEqual([[1, 1, 1], null]);
});
