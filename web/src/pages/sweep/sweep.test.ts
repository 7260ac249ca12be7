import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import { callNow } from "../../engine/loaded.test-support";
import type { MeasurePort } from "../../engine/measure-client";
import { RunHistory } from "../../keep/history";
import { RunPool } from "../../runs/pool";
import { SweepController } from "./controller";
import { figuresOf, pointsOf, shownAxes } from "./data";
import { definitionOf } from "./definition";
import { sweepCsv, sweepParquet, sweepTable } from "./exports";
import { linkedBy } from "./linked";

const FILE = JSON.stringify({
  experiment: "first-touch.teach",
  axes: { "tunables.vm.swappiness": [0, 60], seed: { from: 1, to: 2 } },
});

beforeEach(() => {
  vi.stubGlobal("indexedDB", new IDBFactory());
});
const begun: SweepController[] = [];
afterEach(() => {
  for (const controller of begun.splice(0)) controller.dispose();
  vi.unstubAllGlobals();
});

function begin(start: () => MeasurePort = startMeasureInProcess, build = "a.wasm") {
  const resources = () => ({ cores: 1, memory_gib: null, isNarrow: false });
  const pool = new RunPool({ start, resources });
  const controller = new SweepController({ reader: { call: callNow }, pool, build });
  begun.push(controller);
  return controller;
}

const planned = (controller: SweepController) =>
  expect.poll(() => controller.store.getState().plan, { timeout: 20_000 }).not.toBeNull();

async function opened(controller: SweepController, file = FILE) {
  controller.openFile(file);
  await planned(controller);
  const { plan } = controller.store.getState();
  if (!plan) throw new Error("it was planned");
  return plan;
}

test("runs every combination once and stores each result by its key", async () => {
  const controller = begin();
  const plan = await opened(controller);
  expect(plan.jobs).toHaveLength(4);
  await controller.run();
  const state = controller.store.getState();
  expect([state.failed, state.message, state.progress]).toEqual([[], null, null]);
  await expect.poll(() => controller.store.getState().results.size).toBe(4);
  const history = new RunHistory();
  await history.read();
  expect(history.store.getState().runs).toMatchObject([
    {
      source: "sweep",
      runs: 4,
      title: "first-touch.teach",
      address: `#/sweep?id=${controller.store.getState().id}`,
    },
  ]);
  history.dispose();

  // After a reload the stored sweep opens with its results, and nothing runs again.
  const reloaded = begin(() => {
    throw new Error("nothing is left to run");
  });
  await reloaded.begin({ kind: "none" }, "other");
  await planned(reloaded);
  expect(reloaded.store.getState().definition).toEqual(definitionOf(FILE));
  expect(reloaded.store.getState().results).toEqual(controller.store.getState().results);
  await reloaded.run();
  expect(await reloaded.lines()).toBe(await controller.lines());

  // Another build of the engine may give other results.
  const other = begin(startMeasureInProcess, "b.wasm");
  await other.begin({ kind: "none" }, "other");
  await planned(other);
  expect(other.store.getState().results.size).toBe(0);
}, 120_000);

test("keeps the runs before a cancellation and runs only the others afterwards", async () => {
  const controller = begin();
  await opened(controller);
  let asked = 0;
  const stop = controller.store.subscribe(({ progress }) => {
    if (progress && progress.done === 2) controller.cancel();
  });
  await controller.run();
  stop();
  expect(controller.store.getState().progress).toBeNull();
  const resumed = begin(() => {
    const port = startMeasureInProcess();
    const { postMessage } = port;
    port.postMessage = (request) => {
      if (request.kind === "measure") asked += 1;
      postMessage(request);
    };
    return port;
  });
  await resumed.begin({ kind: "none" }, "other");
  await planned(resumed);
  expect(resumed.store.getState().results.size).toBe(2);
  await resumed.run();
  expect(asked).toBe(2);
  await expect.poll(() => resumed.store.getState().results.size).toBe(4);
}, 120_000);

test("names every combination that the engine refuses", async () => {
  const controller = begin();
  controller.openFile(
    JSON.stringify({ experiment: "first-touch.teach", axes: { kernel: ["3.0", "none"] } }),
  );
  await expect
    .poll(() => controller.store.getState().faults, { timeout: 20_000 })
    .toEqual([expect.stringContaining("with kernel=none: kernel: ")]);
  expect(controller.store.getState().plan).toBeNull();
}, 60_000);

test("turns figures into points with a median and a range, and writes files that read back", async () => {
  const controller = begin();
  const plan = await opened(controller);
  await controller.run();
  await expect.poll(() => controller.store.getState().results.size).toBe(4);
  const { results } = controller.store.getState();
  const { counters } = figuresOf(results);
  expect(counters).toContain("pgfault");
  const [x, y] = shownAxes(plan);
  if (!x) throw new Error("there is an axis");
  // The seed is the last axis: its runs are one point.
  expect([x.path, y?.path]).toEqual(["tunables.vm.swappiness", "seed"]);
  const points = pointsOf(plan, results, "pgfault", [x, null]);
  expect(points.map((point) => [point.x, point.of, point.runs.length])).toEqual([
    [0, 2, 2],
    [60, 2, 2],
  ]);
  for (const { runs, median } of points) {
    const [low = 0, high = 0] = runs.map(({ value }) => value);
    expect(low).toBeLessThanOrEqual(high);
    expect(median).toBe((low + high) / 2);
  }

  const [head = [], ...rows] = sweepTable(plan, results);
  expect(rows).toHaveLength(4);
  expect(sweepCsv(plan, results).split("\r\n")[0]).toContain("tunables.vm.swappiness,key,hash");
  const read = await parquetReadObjects({ file: await sweepParquet(plan, results) });
  expect(read).toEqual(
    rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]]))),
  );

  // The lines have the figures that the file names, also those that are 0.
  const named = begin();
  const file = { ...JSON.parse(FILE), figures: ["pgfault", "oom_kill", "no such"] };
  await opened(named, JSON.stringify(file));
  const lines = (await named.lines()).trim().split("\n");
  expect(lines).toHaveLength(4);
  for (const line of lines) {
    const { figures, key, hash, experiment } = JSON.parse(line);
    expect(Object.keys(figures).sort()).toEqual(["no such", "oom_kill", "pgfault"]);
    expect(figures["no such"]).toBeNull();
    expect(results.get(key)).toMatchObject({ hash, figures: { pgfault: figures.pgfault } });
    expect(experiment).toBe("first-touch.teach");
  }
}, 120_000);

test("a sweep from a link is stored only when it is edited or run", async () => {
  const first = begin();
  await opened(first);
  const saved = async () => {
    const reloaded = begin();
    await reloaded.begin({ kind: "none" }, "anon-hog.teach");
    return reloaded.store.getState();
  };
  const linked = begin();
  await linked.begin({ kind: "experiment", experiment: "anon-hog.teach" }, "other");
  await planned(linked);
  expect(linked.store.getState().isStored).toBe(false);
  expect((await saved()).definition).toEqual(definitionOf(FILE));

  const { definition } = linked.store.getState();
  if (!definition) throw new Error("it was opened");
  linked.change({ ...definition, rows: [{ kind: "seed", name: "", text: "1 to 2" }] });
  expect(linked.store.getState().isStored).toBe(true);
  await expect.poll(async () => (await saved()).definition?.experiment).toBe("anon-hog.teach");
  expect((await saved()).saved).toHaveLength(2);
}, 60_000);

test("says why a link does not open and shows the sweep that was changed last", async () => {
  const first = begin();
  await opened(first);
  const { id } = first.store.getState();
  const presets = { "first-touch.teach": "{}" };
  const address = { page: "sweep", x: null, preset: null, id: null } as const;
  const follow = async (part: { x?: string; preset?: string; id?: string }) => {
    const controller = begin();
    await controller.begin(linkedBy({ ...address, ...part }, presets), "other");
    return controller.store.getState();
  };
  const preset = await follow({ preset: "no-such" });
  expect(preset.linkFault).toContain('preset: there is no ready-made experiment "no-such"');
  expect(preset.definition).toEqual(definitionOf(FILE));
  expect((await follow({ x: "broken" })).linkFault).toMatch(/^The link was not opened\. \w/);
  expect((await follow({ id: "gone" })).linkFault).toContain(
    'id: this browser stores no sweep "gone"',
  );
  expect(await follow({ id })).toMatchObject({ linkFault: null, isStored: true, id });
}, 60_000);
