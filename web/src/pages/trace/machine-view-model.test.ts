import { expect, test, vi } from "vitest";
import { machine } from "../../engine/capture/machine.test-support";
import { Moments } from "../../engine/capture/moments";
import { catalog } from "../../engine/loaded.test-support";
import { packedRow, readSeries, rowCounter, rowDoing, rowFree } from "../../engine/rows";
import { canReplay } from "../../engine/run";
import { besideOf, NO_TWIN } from "./beside";
import { MachineViewModel } from "./machine-view-model";

const MS = 1e6;

async function openedModel() {
  const { machine: opened, source } = machine();
  const moments = new Moments(opened, source);
  const model = new MachineViewModel(
    opened,
    {
      reader: () => async (act) => moments.answer(act),
      at: async (place) => moments.at(place),
    },
    catalog,
  );
  const session = () => model.store.getState().session;
  await vi.waitFor(() => expect(session().timeline.length).toBeGreaterThan(0));
  await vi.waitFor(() => expect(session().frame.view.position.step).toBe(5));
  return { desk: model, machine: opened, session };
}

test("shows the files of a machine as a run that cannot be replayed", async () => {
  const { session } = await openedModel();
  expect(canReplay(session())).toBe(false);
  expect(session().frame.view.zones).toEqual([
    { key: "0/DMA32", managed: 1000, low: 12, free: 400 },
  ]);
  expect(session().frame.view.tasks.map(({ name }) => name)).toEqual(["kswapd0-37", "hog-182"]);
});

test("goes to a time and to an event", async () => {
  const { desk: model, session } = await openedModel();
  model.transport.seek({ kind: "time", time_ns: 250 * MS });
  expect(model.store.getState().scrub_ns).toBe(250 * MS);
  await vi.waitFor(() => expect(session().frame.view.position.step).toBe(2));
  expect(model.store.getState().scrub_ns).toBeNull();
  model.transport.seek({ kind: "step", step: 3 });
  await vi.waitFor(() => expect(session().frame.view.position.time_ns).toBe(300 * MS));
});

test("puts a simulated run beside the machine, shifted to the start of the workload", async () => {
  const { desk: model, machine: opened, session } = await openedModel();
  const row = (time_ms: number, free: number, faults: number) =>
    packedRow({
      step: time_ms,
      time_ns: time_ms * MS,
      free: [free],
      counters: [faults],
      doing: [4],
      reclaimed: [false],
    });
  const timeline = Float64Array.from([
    ...row(0, 800, 1),
    ...row(2100, 300, 9),
    ...row(5000, 300, 9),
  ]);
  const zone = { key: "0/DMA32", managed: 1000, low: 12, free: 300 };
  const task = { id: 0, name: "hog/1", pid: 1, kernel_thread: false, function: "" };
  model.setBeside(
    besideOf(opened, {
      timeline,
      zones: [zone],
      tasks: [task],
      counters: ["pgfault"],
      start_ns: 2000 * MS,
      real_start_ns: 100 * MS,
    }),
  );
  const pgfault = session().counters?.find(({ name }) => name === "pgfault twin");
  model.setTracks(pgfault ? [...pgfault.pair] : []);
  await vi.waitFor(() => expect(readSeries(session().timeline, 2).counters).toBe(1));
  const series = readSeries(session().timeline, 2);
  // The twin's change at 2100 ms is 100 ms after its start: 200 ms on the page's axis.
  const at = (share: number) => Math.floor(series.length * share);
  expect([at(0.4), at(0.6)].map((i) => rowFree(series, i, 1))).toEqual([800, 300]);
  expect([at(0.4), at(0.6)].map((i) => rowCounter(series, i, 0))).toEqual([1, 9]);
  expect(rowDoing(series, at(0.5), 2)).toBe("reclaiming");
  expect(session().frame.view.zones.map(({ key }) => key)).toEqual(["0/DMA32", "0/DMA32 twin"]);
  expect(session().frame.view.counters).toContainEqual(["pgfault twin", 9]);
  model.setBeside(NO_TWIN);
  expect(session().frame.view.counters).not.toContainEqual(["pgfault twin", 9]);
  expect(session().frame.view.zones).toHaveLength(1);
  expect(session().frame.view.tasks).toHaveLength(2);
});
