// Lanes as drawn, compared with the event log: what they show of kswapd is true.

import fc from "fast-check";
import { expect, test } from "vitest";
import { lanePieces, shortReclaims } from "../draw/series";
import { catalog, loadEngine, openText, presetJson, viewNow } from "../engine/loaded.test-support";
import { answerLog, joined, type LogAct } from "../engine/log";
import type { AskLog } from "../engine/log-turns";
import { kindsNamed, recordsIn } from "../engine/record";
import { readSeries, rowTime, type Series } from "../engine/rows";
import type { TaskView } from "../engine/types";
import { disturbed, hog } from "../experiment/disturb";
import { LANE_PX, LEAST_ZONE_PX, MORE_PX, scaleOf } from "./frame";
import {
  foldedWords,
  foldLanes,
  hasShortReclaims,
  shortPath,
  tasksChanged,
  waitsIn,
  waitWords,
} from "./lanes";
import { finer } from "./moments";

type Engine = ReturnType<typeof loadEngine>;

const KSWAPD = ["mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep"] as const;
/** A pixel of a chart that is 512 wide, and the largest difference of CPU clocks in these runs. */
const PIXELS = 512;
const CLOCKS_NS = 1e6;
const STEPS = 250_000;

const asker =
  (engine: Engine): AskLog =>
  async (act) => {
    const answer = answerLog(engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    return answer;
  };

/** By task, the times at which kswapd slept according to the event log: from, to. */
async function sleeps(engine: Engine, to: number): Promise<Map<number, [number, number][]>> {
  const ask = asker(engine);
  const filter = { kinds: kindsNamed(catalog, KSWAPD), task: null, zone: null, pages: null };
  const parts: Float64Array[] = [];
  let act: LogAct = { kind: "begin", from: 0, to, filter };
  for (;;) {
    const { rows, isDone } = await ask(act);
    parts.push(rows);
    if (isDone) break;
    act = { kind: "more" };
  }
  const found = new Map<number, [number, number][]>();
  for (const { name, time_ns, task } of recordsIn(joined(parts), catalog)) {
    const slept = found.get(task) ?? [];
    found.set(task, slept);
    const last = slept.at(-1);
    if (name === "mm_vmscan_kswapd_sleep") slept.push([time_ns, Number.POSITIVE_INFINITY]);
    else if (last) last[1] = time_ns;
  }
  return found;
}

/** Intervals shown as reclaiming although kswapd slept for longer than a pixel. */
function falsehoods(series: Series, slept: Map<number, [number, number][]>, pixel_ns: number) {
  return [...slept].flatMap(([task, stretches]) =>
    lanePieces(series, task)
      .filter(({ doing }) => doing === "reclaiming")
      .flatMap((piece) =>
        stretches
          .map(([from, to]) => Math.min(to, piece.to_ns) - Math.max(from, piece.from_ns))
          .filter((both_ns) => both_ns > pixel_ns + CLOCKS_NS)
          .map((both_ns) => ({ task, piece, both_ns })),
      ),
  );
}

const runs = fc.record({
  preset: fc.constantFrom("streaming-reader.teach", "anon-hog.teach", "tiobench.teach"),
  seed: fc.nat(99),
  fork_ns: fc.option(fc.integer({ min: 1e6, max: 2e10 })),
  ways: fc.array(fc.integer({ min: 0, max: STEPS }), { maxLength: 4 }),
});

test("never shows kswapd reclaiming while the event log says it sleeps, even after a fork or a zoom", async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(runs, async ({ preset, seed, fork_ns, ways }) => {
      const plain = JSON.stringify({ ...JSON.parse(presetJson(preset)), seed });
      const json =
        fork_ns === null ? plain : disturbed(plain, { start: hog("late", 300) }, fork_ns);
      const engine = loadEngine();
      expect(openText(engine, 0, json).kind).toBe("checked");
      for (const step of [...ways, STEPS]) {
        let { done } = engine.seek(0, step);
        while (!done) ({ done } = engine.seek_more(0, 20_000));
      }
      const zones = viewNow(engine).zones.length;
      const whole = readSeries(engine.samples(0, new Uint32Array()), zones);
      const known_ns = rowTime(whole, whole.length - 1);
      const slept = await sleeps(engine, STEPS);
      seen += [...slept.values()].flat().length;
      expect(falsehoods(whole, slept, known_ns / (PIXELS / 2))).toEqual([]);
      const window = [known_ns * 0.3, known_ns * 0.7] as const;
      const rows = await finer(asker(engine), whole, window, [], () => true);
      if (!rows) throw new Error("there are no finer moments");
      const fine = readSeries(rows, zones);
      expect(falsehoods(fine, slept, (window[1] - window[0]) / PIXELS)).toEqual([]);
      engine.free();
    }),
    { numRuns: 12, seed: 4 },
  );
  expect(seen).toBeGreaterThan(100);
}, 60_000);

const task = (name: string): TaskView => ({ ...viewOfTask, name });
const viewOfTask = (() => {
  const engine = loadEngine();
  openText(engine, 0, presetJson("anon-hog.teach"));
  const [first] = viewNow(engine).tasks;
  if (!first) throw new Error("there is no task");
  return first;
})();
const lane = (name: string, hasChanged: boolean) => ({ of: task(name), hasChanged });
const curve = (of: number, hasChanged: boolean) => ({ of, hasChanged });

test("shows all lanes if they fit, else the lanes that changed, and counts the others", () => {
  const tasks = [lane("kswapd0", false), lane("kswapd1", true), lane("dd/1", true)];
  const zones = [curve(0, false), curve(1, true)];
  const names = (room_px: number, isAll = false) => {
    const folding = foldLanes(tasks, zones, { room_px, isAll });
    return [folding.tasks.map(({ name }) => name), folding.zones, foldedWords(folding)];
  };
  const all = 3 * LANE_PX + 2 * LEAST_ZONE_PX;
  const everything = [["kswapd0", "kswapd1", "dd/1"], [0, 1], "0 unchanged lanes"];
  expect(names(all)).toEqual(everything);
  expect(names(10, true)).toEqual(everything);
  expect(names(all - 1)).toEqual([["kswapd1", "dd/1"], [1], "2 unchanged lanes"]);
  const many = Array.from({ length: 9 }, (_, i) => lane(`dd/${i}`, true));
  const few = foldLanes(many, zones, {
    room_px: 5 * LANE_PX + LEAST_ZONE_PX + MORE_PX,
    isAll: false,
  });
  expect(few.tasks).toHaveLength(5);
  expect(foldedWords(few)).toBe("5 more lanes");
  // Curves give way to the minimum number of lanes, so that none is cut.
  const low = foldLanes(many, [curve(0, true), curve(1, true)], {
    room_px: 2 * LANE_PX + LEAST_ZONE_PX + MORE_PX,
    isAll: false,
  });
  expect([low.tasks.length, low.zones]).toEqual([2, [0]]);
  expect(foldedWords(low)).toBe("8 more lanes");
  // A workload's own tasks are folded last, and the remaining ones keep their order.
  const threads = ["kswapd0", "kswapd1", "kswapd2"].map((name) => ({
    of: { ...task(name), kernel_thread: true },
    hasChanged: true,
  }));
  const own = { of: { ...task("hog/1"), kernel_thread: false }, hasChanged: true };
  const two = foldLanes([...threads, own], [], { room_px: 0, isAll: false });
  expect(two.tasks.map(({ name }) => name)).toEqual(["kswapd0", "hog/1"]);
  // Some stay visible even without any room.
  expect(foldLanes(many, zones, { room_px: 0, isAll: false }).tasks).toHaveLength(2);
});

/** Rows of a task: since when, ns, and its activity by the engine's index. */
const doings = (rows: readonly (readonly [since_ns: number, doing: number])[]) =>
  readSeries(
    Float64Array.from(
      rows.flatMap(([since_ns, doing], i) => [7, 0, i, since_ns, since_ns, 9, 1, doing]),
    ),
    1,
  );

test("names the reason of a throttled interval only if it has room", () => {
  const series = doings([
    [0, 2],
    [100, 7],
    [400, 8],
    [420, 9],
    [700, 5],
    [1000, 5],
  ]);
  const words = waitWords(series, 0, scaleOf(0, 1000, 0, 1000));
  expect(words).toEqual([
    { doing: "written", x: 250 },
    { doing: "noprogress", x: 560 },
  ]);
  expect(waitWords(series, 0, scaleOf(0, 1000, 0, 150))).toEqual([]);
  expect(waitsIn(series, [{ id: 0 }])).toEqual(["written", "isolated", "noprogress"]);
});

test("shows kswapd's short reclaim after a hog was started late in a long run", () => {
  const at_ns = 96e9;
  const json = disturbed(presetJson("streaming-reader.teach"), { start: hog("hog", 125) }, at_ns);
  const engine = loadEngine();
  expect(openText(engine, 0, json).kind).toBe("checked");
  let { done } = engine.seek_time(0, at_ns);
  while (!done) ({ done } = engine.seek_more(0, 100_000));
  for (done = false; !done; ) ({ done } = engine.run(0, 100_000, undefined, undefined));
  const { zones, tasks } = viewNow(engine);
  const series = readSeries(engine.samples(0, new Uint32Array()), zones.length);
  const end_ns = rowTime(series, series.length - 1);
  const kswapd = tasks.filter(({ name }) => name.startsWith("kswapd"));
  expect(kswapd).toHaveLength(2);
  expect(hasShortReclaims(series, kswapd)).toBe(true);
  const changed = tasksChanged(kswapd, series, [at_ns, end_ns]);
  expect(changed.map(({ hasChanged }) => hasChanged)).toEqual([true, true]);
  const scale = scaleOf(at_ns, end_ns, 0, PIXELS);
  for (const { id } of kswapd) {
    const marks = shortPath(series, id, scale, { top: 0, bottom: LANE_PX }).split("M").length - 1;
    expect(marks).toBeGreaterThan(10);
  }
  engine.free();
}, 60_000);

test("shows short reclaim only between the time of one row and the start of the state in the next row", () => {
  const row = (now_ns: number, since_ns: number, doing: number, reclaims: number) =>
    // Its length, counters, step, time, since, free pages, tasks, activity, who reclaimed.
    [8, 0, 0, now_ns, since_ns, 9, 1, doing, reclaims];
  const rows = [row(10, 0, 1, 0), row(100, 40, 1, 1), row(200, 150, 1, 0), row(300, 220, 4, 1)];
  const series = readSeries(Float64Array.from(rows.flat()), 1);
  expect(shortReclaims(series, 0)).toEqual([
    { from_ns: 10, to_ns: 40 },
    { from_ns: 200, to_ns: 220 },
  ]);
  // A row without these numbers has no short reclaim.
  expect(
    hasShortReclaims(
      doings([
        [0, 1],
        [9, 1],
      ]),
      [{ id: 0 }],
    ),
  ).toBe(false);
});
