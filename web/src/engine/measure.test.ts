import { expect, test } from "vitest";
import { catalog, loadEngine, measureNow, presetJson, readNow } from "./loaded.test-support";
import { type Measure, type Moment, measure, type Snapshot } from "./measure";
import type { Recorded } from "./types";

const engine = loadEngine();
const experiment = presetJson("anon-hog.teach");

function snapshotAt(moment: Moment): Snapshot | null {
  const measured = measureNow(engine, 0, { experiment, moments: [moment] });
  if (measured.kind === "refused") throw new Error("refused");
  return measured.snapshots[0] ?? null;
}

/** The view one step earlier, of the machine at the measured step. */
function before({ view }: Snapshot): Recorded {
  let progress = engine.seek(0, view.position.step - 1);
  while (!progress.done) progress = engine.seek_more(0, 100_000);
  return engine.view(0, undefined);
}

const counter = (view: Pick<Recorded, "counters">, name: string) =>
  view.counters.find(([each]) => each === name)?.[1] ?? 0;
const wakes = (view: Pick<Recorded, "nodes">) => view.nodes[0]?.kswapd_wakes ?? 0;

test("finds the exact step at which a counter reaches a value", () => {
  for (const reaches of [1, 100, 1000]) {
    const snapshot = snapshotAt({ kind: "counter", name: "pgscan_kswapd", reaches });
    if (!snapshot) throw new Error(`${reaches} pages are never scanned`);
    expect(counter(snapshot.view, "pgscan_kswapd")).toBeGreaterThanOrEqual(reaches);
    expect(counter(before(snapshot), "pgscan_kswapd")).toBeLessThan(reaches);
  }
});

test("finds the steps at which kswapd is woken and has finished", () => {
  const woken = snapshotAt({ kind: "woken", node: 0, times: 2 });
  if (!woken) throw new Error("it is woken more than once");
  expect(wakes(woken.view)).toBe(2);
  expect(wakes(before(woken))).toBe(1);
  const finished = snapshotAt({ kind: "finished", node: 0, times: 2 });
  if (!finished) throw new Error("it finishes");
  expect(finished.view.position.step).toBeGreaterThan(woken.view.position.step);
  const node = before(finished).nodes[0];
  expect([node?.kswapd_wakes, node?.kswapd_awake]).toEqual([2, true]);
});

test("finds the last refusal of a zone before an event", () => {
  const moment = { kind: "counter", name: "allocstall", reaches: 1 } as const;
  const event = snapshotAt(moment);
  const refusal = snapshotAt({ ...moment, from: "refusal" });
  expect(refusal?.view.why?.compare?.passed).toBe(false);
  expect(refusal?.view.position.step).toBeLessThan(event?.view.position.step ?? 0);
});

test("finds the step that ran a line, counted from the requested time", () => {
  const line = { kind: "line", function: "zone_watermark_ok", line: "free = NR_FREE" } as const;
  const [first, second] = [1, 2].map((times) => snapshotAt({ ...line, times }));
  const later = snapshotAt({ ...line, times: 1, after: 1000 });
  for (const snapshot of [first, second, later]) {
    expect(snapshot?.view.why?.compare?.marks.length).toBeGreaterThan(0);
  }
  expect(second?.view.position.step).toBeGreaterThan(first?.view.position.step ?? 0);
  expect(later?.view.position.time_ns).toBeGreaterThan(900_000);
  expect(second?.view.position.time_ns).toBeLessThan(later?.view.position.time_ns ?? 0);
  expect(snapshotAt({ ...line, times: 1e6, after: 199_000_000 })).toBeNull();
  expect(() => snapshotAt({ ...line, line: "nothing", times: 1 })).toThrow("has no line");
});

test("returns null for a step that does not exist, and finds the end of the run", () => {
  expect(snapshotAt({ kind: "counter", name: "allocstall", reaches: 1e9 })).toBeNull();
  expect(snapshotAt({ kind: "end" })?.view.position.ended).toBe(true);
  expect(snapshotAt({ kind: "start" })?.view.position.step).toBe(0);
  expect(snapshotAt({ kind: "time", us: 1000 })?.view.position.time_ns).toBeGreaterThan(900_000);
});

test("a step has the same hash however the engine reaches it", () => {
  const moments: Moment[] = [
    { kind: "end" },
    { kind: "woken", node: 0, times: 1 },
    { kind: "counter", name: "pgscan_direct", reaches: 1 },
  ];
  const hashes = (order: readonly Moment[]) => {
    const measured = measureNow(engine, 0, { experiment, moments: order });
    return measured.kind === "measured" ? measured.snapshots.map((each) => each?.hash) : [];
  };
  expect(hashes([...moments].reverse()).reverse()).toEqual(hashes(moments));
});

test("refuses an experiment that cannot run", () => {
  const asked: Measure = { experiment: "{}", moments: [] };
  expect(measureNow(engine, 0, asked).kind).toBe("refused");
});

test("reports its progress to the caller, which may stop it", () => {
  const work = measure(
    engine,
    0,
    readNow(experiment),
    { experiment, moments: [{ kind: "end" }] },
    catalog,
  );
  const first = work.next();
  const second = work.next();
  if (first.done || second.done) throw new Error("the run ended too early");
  expect(second.value.step).toBeGreaterThan(first.value.step);
  // The slot can be used for another run.
  expect(snapshotAt({ kind: "start" })?.view.position.step).toBe(0);
});
