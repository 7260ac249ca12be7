import { afterEach, expect, test, vi } from "vitest";
import { startInProcess } from "../../engine/in-process.test-support";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import { presetJson } from "../../engine/loaded.test-support";
import type { LogAnswer } from "../../engine/log";
import { bareLink } from "../../link/link";
import type { Workbench } from "../controller";
import { modeOf } from "../store";
import { BY_TIME } from "./alignment";
import { Pair, type PairMoment } from "./pair";

vi.setConfig({ testTimeout: 120_000 });

const PRESET = "streaming-reader.teach";

let pair: Pair | null = null;
afterEach(() => {
  pair?.dispose();
  pair = null;
});

/** Waits until a condition holds. */
async function until(holds: () => boolean) {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("the condition never became true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The page confirms each drawn frame to the engine; here nothing is drawn. */
function drawAll({ store }: Workbench, workbench: Workbench) {
  store.subscribe((state, before) => {
    if (state.session?.frame !== before.session?.frame) workbench.painted();
  });
}

async function started(): Promise<Pair> {
  const both = new Pair({ start: startInProcess, startMeasuring: startMeasureInProcess });
  pair = both;
  drawAll(both.a, both.a);
  drawAll(both.b, both.b);
  await until(() => [both.a, both.b].every((one) => one.store.getState().engine.kind === "ready"));
  return both;
}

async function opened(kernelB: string): Promise<Pair> {
  const both = await started();
  const json = presetJson(PRESET);
  const other = JSON.stringify({ ...JSON.parse(json), kernel: kernelB });
  expect(await both.open("a", bareLink(json))).toEqual([]);
  expect(await both.open("b", bareLink(other))).toEqual([]);
  await until(() => both.moment() !== null && atRest(both));
  return both;
}

const atRest = ({ a, b }: Pair) =>
  [a, b].every(({ store }) => modeOf(store.getState()) === "paused");

const steps = (both: Pair): readonly [number, number] => {
  const moment = both.moment();
  return [moment?.a.position.step ?? -1, moment?.b.position.step ?? -1];
};

/** Performs an action and waits until both sides have settled where the leader arrived. */
async function moved(both: Pair, act: () => void, isThere: () => boolean) {
  act();
  await until(() => atRest(both) && isThere());
}

const ownKernel = () => (JSON.parse(presetJson(PRESET)) as { readonly kernel: string }).kernel;

test("a machine never diverges from itself, whatever is done", async () => {
  const both = await opened(ownKernel());
  await both.search();
  expect(both.store.getState().divergence.kind).toBe("none");
  await moved(
    both,
    () => both.seek({ kind: "step", step: 5000 }),
    () => steps(both)[1] === 5000,
  );
  await moved(
    both,
    () => both.step(),
    () => steps(both)[0] > 5000 && same(both),
  );
  const [stepped] = steps(both);
  await moved(
    both,
    () => both.back(),
    () => steps(both)[0] < stepped && same(both),
  );
  const time_ns = 2_000_000;
  await moved(
    both,
    () => both.seek({ kind: "time", time_ns }),
    () => (both.moment()?.b.position.time_ns ?? 0) >= time_ns && same(both),
  );
  const [a, b] = await Promise.all([both.a.ask({ kind: "hash" }), both.b.ask({ kind: "hash" })]);
  expect(a.hash).toBe(b.hash);
});

const same = (both: Pair) => {
  const [a, b] = steps(both);
  return a === b;
};

test("finds the first decision that two kernels make differently and opens it in both", async () => {
  const both = await opened("5.10");
  await both.search();
  const { divergence } = both.store.getState();
  if (divergence.kind !== "found") throw new Error(divergence.kind);
  if (divergence.decisions.kind !== "read") throw new Error(divergence.decisions.kind);
  const [a, b] = divergence.decisions.decisions.first;
  expect(a?.sentence ?? b?.sentence).toBeTruthy();
  expect([a?.name, a?.sentence]).not.toEqual([b?.name, b?.sentence]);
  both.openDivergence();
  await until(() => atRest(both) && steps(both)[0] === (a?.step ?? divergence.step));
  await until(() => atRest(both) && steps(both)[1] === (b?.step ?? divergence.step));
  // Up to this step both sides have the same steps, even when they are aligned by time.
  const before = Math.max(0, divergence.step - 1);
  await moved(
    both,
    () => both.seek({ kind: "step", step: before }),
    () => steps(both)[1] === before,
  );
  expect(steps(both)).toEqual([before, before]);
});

test("aligns the other machine although the leader has not drawn its first frame", async () => {
  const both = await started();
  const json = presetJson(PRESET);
  expect(await both.open("b", bareLink(json))).toEqual([]);
  await until(() => modeOf(both.b.store.getState()) === "paused");
  const { engine } = both.a.store.getState();
  const version = engine.kind === "ready" ? engine.version : "";
  const cursor = { step: 5000, time_ns: 0, hash: "0000000000000000", engine: version };
  expect(await both.open("a", { ...bareLink(json), cursor })).toEqual([]);
  expect(both.a.store.getState().session?.frame ?? null).toBeNull();
  both.align(BY_TIME);
  await until(() => steps(both).every((step) => step === 5000));
});

test("aligns by time and by the number of events of a kind", async () => {
  const both = await opened("5.10");
  const furthest = both.a.store.getState().session?.frame?.furthest;
  const half = Math.floor((furthest?.step ?? 0) / 2);
  await moved(
    both,
    () => both.seek({ kind: "step", step: half }),
    () => steps(both)[0] === half && steps(both)[1] > 0,
  );
  // B is at the first step that is not before the time of A.
  const time_ns = both.moment()?.a.position.time_ns ?? 0;
  expect(both.moment()?.b.position.time_ns).toBeGreaterThanOrEqual(time_ns);
  const byTime = steps(both)[1];
  both.align({ by: "event", event: "mm_filemap_add_to_page_cache" });
  await until(() => atRest(both) && steps(both)[1] !== byTime);
  const added = (one: Workbench, step: number) => eventsUpTo(one, step);
  const [a, b] = steps(both);
  expect(await added(both.b, b)).toBe(await added(both.a, a));
});

/** The number of pages that were added to the page cache up to a step. */
async function eventsUpTo(one: Workbench, step: number): Promise<number> {
  const { engine } = one.store.getState();
  if (engine.kind !== "ready") return -1;
  const kind = engine.catalog.records.findIndex(
    ({ name }) => name === "mm_filemap_add_to_page_cache",
  );
  const ask = one.log();
  const filter = { kinds: [kind], task: null, zone: null, pages: null };
  let answer = await ask({ kind: "begin", from: 0, to: step, filter });
  let count = 0;
  for (;;) {
    for (let at = 0; at < answer.rows.length; at += answer.rows[at] || 1) count += 1;
    if (answer.isDone) return count;
    answer = await ask({ kind: "more" });
  }
}

test("keeps the divergence if its decisions cannot be read and reads them again on request", async () => {
  const both = await opened("5.10");
  const decisions = () => {
    const { divergence } = both.store.getState();
    return divergence.kind === "found" ? divergence.decisions : null;
  };
  // The engine has dropped the records of these steps: memory is short.
  const short = { kind: "log", at: 0, isDone: true, isWhole: false, rows: new Float64Array() };
  const log = vi.spyOn(both.a, "log").mockImplementation(() => async () => short as LogAnswer);
  await both.search();
  expect(decisions()).toEqual({
    kind: "unreadable",
    message: expect.stringContaining("no longer recorded"),
  });
  log.mockImplementation(() => async () => {
    throw new Error("the worker broke");
  });
  await both.readAgain();
  expect(decisions()).toEqual({ kind: "unreadable", message: "the worker broke" });
  log.mockRestore();
  await both.readAgain();
  expect(decisions()?.kind).toBe("read");
});

test("restores the ends of the range from their steps and returns to the current step", async () => {
  const both = await opened("5.10");
  const at = async (step: number) => {
    await moved(
      both,
      () => both.seek({ kind: "step", step }),
      () => steps(both)[0] === step && steps(both)[1] > 0,
    );
    return both.moment();
  };
  const [from, to] = [await at(2000), await at(6000)];
  await at(4000);
  const present = steps(both);
  const stepsOf = (moment: PairMoment | null) => ({
    a: moment?.a.position.step ?? -1,
    b: moment?.b.position.step ?? -1,
  });
  await both.setEnds({ from: stepsOf(from), to: stepsOf(to) });
  expect(steps(both)).toEqual(present);
  expect(both.store.getState().from).toEqual(from);
  expect(both.store.getState().to).toEqual(to);
});

test("a side that opens drops its earlier refusal", async () => {
  const both = await opened("5.10");
  const faults = [{ path: "", reason: "It is no link." }];
  both.setFault("a", faults);
  both.setFault("b", faults);
  expect(await both.open("a", bareLink(presetJson(PRESET)))).toEqual([]);
  expect(both.store.getState().faults).toEqual({ a: [], b: faults });
});
