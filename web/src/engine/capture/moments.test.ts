import { expect, test } from "vitest";
import { NOTHING, recordsIn } from "../record";
import { readSeries, rowCounter, rowDoing, rowFree, rowReclaimed, rowTime } from "../rows";
import { recordsOf } from "./lanes";
import { EVENTS, KINDS, machine } from "./machine.test-support";
import { Moments } from "./moments";

const MS = 1e6;
const EVERYTHING = { kinds: [], task: null, zone: null, pages: null };

function opened() {
  const { machine: opened, source } = machine();
  const moments = new Moments(opened, source);
  const counter = (name: string) => opened.known.findIndex((one) => one.name === name);
  const draw = (names: readonly string[], stretch_ns?: readonly [number, number]) => {
    const pairs = names.flatMap((name) => [counter(name), 0]);
    const act = { kind: "sample", from: 0, to: 5, every: 1, every_ns: 0, pairs } as const;
    const { rows } = moments.answer(stretch_ns ? { ...act, stretch_ns } : act);
    return readSeries(rows, opened.sampled);
  };
  return { machine: opened, moments, draw };
}

test("puts samples and events on one axis that begins with the first of them", () => {
  const { machine: at } = opened();
  expect(at.zero_s).toBe(5.9);
  expect(at.trace_ns).toBe(100 * MS);
  expect(at.length_ns).toBe(400 * MS);
  // A zone without memory has no lane; the trace's zone has a name only.
  expect(at.zones.map(({ key }) => key)).toEqual(["0/DMA32", "0/Normal"]);
  expect(at.sampled).toBe(1);
});

test("draws free pages, counters and the activity of tasks", () => {
  const series = opened().draw(["pgfault", "mm_vmscan_kswapd_wake"]);
  const rowAt = (ms: number) => {
    let row = 0;
    while (row + 1 < series.length && rowTime(series, row + 1) <= ms * MS) row += 1;
    return row;
  };
  expect([0, 250, 350].map((ms) => rowFree(series, rowAt(ms), 0))).toEqual([900, 900, 400]);
  expect([0, 350].map((ms) => rowCounter(series, rowAt(ms), 0))).toEqual([5, 25]);
  expect([150, 250].map((ms) => rowCounter(series, rowAt(ms), 1))).toEqual([0, 1]);
  expect([150, 250, 399].map((ms) => rowDoing(series, rowAt(ms), 0))).toEqual([
    "gone",
    "reclaiming",
    "reclaiming",
  ]);
  expect(rowDoing(series, rowAt(300.5), 1)).toBe("reclaiming");
});

test("marks reclaim that is shorter than the time between two samples", () => {
  const { moments } = opened();
  const { rows } = moments.answer({
    ...{ kind: "sample", from: 0, to: 5, every: 1, every_ns: 0, pairs: [] },
    stretch_ns: [0, 100_000 * MS],
  });
  const series = readSeries(rows, 1);
  const short = Array.from({ length: series.length }, (_, row) => rowReclaimed(series, row, 1));
  expect(short.filter((isTrue) => isTrue)).toHaveLength(1);
});

test("gives the events of a range on the time axis and with the zones of the page", () => {
  const { machine: at, moments } = opened();
  const answer = moments.answer({ kind: "begin", from: 0, to: 5, filter: EVERYTHING });
  const records = recordsOf([], at.trace?.info ?? { kinds: [] });
  const read = [...recordsIn(answer.rows, { records })];
  expect(answer.isDone).toBe(true);
  expect(read.map(({ name, step }) => [name, step])).toEqual(
    EVENTS.map(({ name }, i) => [name, i + 1]),
  );
  expect(read[0]?.time_ns).toBe(100 * MS);
  expect(read[0]?.values).toMatchObject({ zid: 1 });
  expect(read[1]?.zone).toBeNull();
});

test("filters events by kind and by task", () => {
  const { moments } = opened();
  const begin = (filter: object) =>
    moments.answer({ kind: "begin", from: 0, to: 5, filter: { ...EVERYTHING, ...filter } }).rows;
  expect(begin({ kinds: [KINDS.mm_vmscan_kswapd_wake] })[6]).toBe(KINDS.mm_vmscan_kswapd_wake);
  expect([...begin({ task: 0 })].filter((n) => n === NOTHING)).toHaveLength(4);
});

test("gives the state at a time and right after an event", () => {
  const { moments } = opened();
  expect(moments.at({ time_ns: 250 * MS })).toMatchObject({ step: 2, free: [900] });
  expect(moments.at({ step: 3 })).toMatchObject({ step: 3, time_ns: 300 * MS, free: [400] });
  expect(moments.at({ time_ns: 50 * MS })).toMatchObject({ step: 0 });
  expect(new Map(moments.at({ time_ns: 400 * MS }).counters).get("pgfault")).toBe(25);
});
