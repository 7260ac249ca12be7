import { expect, test } from "vitest";
import { loadEngine, openText, presetJson, viewNow } from "../engine/loaded.test-support";
import type { View } from "../engine/types";
import {
  holds,
  isTrue,
  namesIn,
  numberIn,
  parseStatement,
  piecesOf,
  readAt,
  reading,
  readOf,
} from "./readings";

const engine = loadEngine();
openText(engine, 0, presetJson("streaming-reader.teach"));
engine.run(0, 400_000, undefined, undefined);
const view = viewNow(engine);
const zone = view.zones.find(({ key }) => key === "0/Normal");
const value = (name: string) => reading(view, name);

test("a reading has the same value as the view", () => {
  expect(value("free@0/Normal")).toBe(zone?.free);
  expect(value("low@0/Normal")).toBe(zone?.low);
  expect(value("wakes@1")).toBe(view.nodes[1]?.kswapd_wakes);
  expect(value("pages@worker/1")).toBeGreaterThan(0);
  expect(value("pgpgin")).toBeGreaterThan(0);
  expect(value("pgmajfault")).toBe(0);
});

test("reads waits from a queue and none from a queue that the kernel lacks", () => {
  const queue = {
    kind: "writeback",
    name: "VMSCAN_THROTTLE_WRITEBACK",
    timeout_us: 100_000,
    waiters: [],
    gate: { value: 93, against: 128, task: null, list: null },
    last: null,
    delays: [
      [0, 7],
      [4000, 2],
      [100_000, 3],
    ],
  } satisfies View["nodes"][number]["queues"][number];
  const nodes = view.nodes.map((node) => ({ ...node, queues: [queue] }));
  const read = readAt({ ...view, nodes });
  expect(["waits", "at_once", "to_timer"].map((what) => read(`${what}@writeback`))).toEqual([
    12, 7, 3,
  ]);
  expect([read("timeout_us@writeback"), read("gate@writeback"), read("limit@writeback")]).toEqual([
    100_000, 93, 128,
  ]);
  expect(read("waits@noprogress")).toBe(0);
  expect(() => read("waits@swap")).toThrow("there is no");
});

test("reads generations and the refaults of tiers, and 0 while the two lists are used", () => {
  const none = { evicted: 0, protected: 0, avg_total: 0 };
  const tier = (refaulted: number, avg_refaulted: number) => ({
    refaulted,
    avg_refaulted,
    ...none,
  });
  const seen = [3, 4, 5].map((seq) => ({ seq, born_ns: 0, pages: [seq, 10 * seq], tiers: [] }));
  const generations = [
    {
      key: "0",
      node: 0,
      max_seq: 5,
      min_seq: [2, 3],
      generations: seen,
      tiers: [[tier(9, 9)], [tier(0, 0), tier(400, 6)]],
      walking: null,
    },
  ] satisfies View["generations"];
  const names = ["max_seq@0", "min_seq@0", "generation4@0", "generation9@0", "refaulted1@0"];
  expect(names.map(readAt({ ...view, generations }))).toEqual([5, 3, 40, 0, 406]);
  expect(names.map(readAt({ ...view, generations: [] }))).toEqual([0, 0, 0, 0, 0]);
  expect(() => value("max_seq@7")).toThrow("there is no");
});

test("reads the pages and events of a memory cgroup", () => {
  openText(engine, 1, presetJson("container-at-its-limit.teach"));
  engine.run(1, 400_000, undefined, 200_000_000);
  const limited = viewNow(engine, 1);
  const shop = limited.groups.find(({ name }) => name === "shop");
  const names = ["current@shop", "cache@shop", "active_file@shop", "max_events@shop", "kills@shop"];
  expect(names.map(readAt(limited))).toEqual([
    shop?.usage,
    shop?.file,
    shop?.lists[3],
    shop?.events.max,
    0,
  ]);
  expect(readAt(limited)("max_events@shop")).toBeGreaterThan(0);
  expect(() => readAt(limited)("current@bakery")).toThrow("there is no");
});

test("reads free blocks by order and compaction scanners by pageblock", () => {
  const [before] = view.zones;
  if (!before) throw new Error("there is no zone");
  const at = { ...before, start_pfn: 4096, spanned: 256, blocks: [1, 3, 0, 0] };
  const run = { migrate_pfn: 4096 + 63, free_pfn: 4096 + 192 } as never;
  const nr_free = [5, 0, 1, 3, 1];
  const pageblocks = [{ zone: at.key, types: [], considered: 0, defer_limit: 1, run }];
  const read = readAt({ ...view, zones: [{ ...at, nr_free }], pageblocks });
  expect([0, 2, 3, 4].map((order) => read(`order${order}@${at.key}`))).toEqual([49, 11, 5, 1]);
  expect([read(`blocks@${at.key}`), read(`largest@${at.key}`)]).toEqual([10, 16]);
  expect(readAt({ ...view, zones: [{ ...at, nr_free: [0, 0] }] })(`largest@${at.key}`)).toBe(0);
  expect(read(`migrate_block@${at.key}`)).toBe(0);
  expect(read(`free_block@${at.key}`)).toBe(3);
  expect(() => reading(view, `free_block@${at.key}`)).toThrow("there is no");
  expect(readAt({ ...view, blocks_came: 3, blocks_failed: 1 })("blocks_came")).toBe(3);
});

test("reads the nodes of used memory and of threads, and timed rounds", () => {
  const memory = (bytes: number[]) => ({ bytes, busy_ns: 0, queue_ns: 0, links: [] });
  const [first, second] = view.nodes;
  const [task] = view.tasks;
  if (!first || !second || !task) throw new Error("two nodes and a task are needed");
  const nodes = [
    { ...first, memory: memory([60, 20]) },
    { ...second, memory: memory([10, 10]) },
  ];
  const on = (name: string, node: number, state = task.state) => ({ ...task, name, node, state });
  const tasks = [on("jvm1/1", 1), on("jvm1/2", 0), on("jvm1/3", 1), on("jvm10/1", 0)];
  const exited = on("jvm2/1", 0, "exited");
  const rounds = [
    { name: "jvm1", took: [[100, 3] as [number, number], [200, 4] as [number, number]] },
  ];
  const read = readAt({ ...view, nodes, tasks: [...tasks, exited], rounds });
  expect(read("local_percent")).toBe(70);
  expect(read("together@jvm1")).toBe(2);
  expect(() => read("together@jvm2")).toThrow("there is no");
  expect(read("rounds@jvm1")).toBe(7);
  expect(read("longest_us@jvm1")).toBe(0.2);
  const untimed = readAt({ ...view, rounds: [] });
  expect(() => untimed("rounds@jvm1")).toThrow("there is no");
  expect(value("local_percent")).toBe(0);
});

test("reads dirty pages, pages under writeback and both dirty limits by their vmstat names", () => {
  const writeback = { ...view.writeback, dirty: 120, writeback: 7, background: 197, limit: 394 };
  const read = readAt({ ...view, writeback });
  expect(read("nr_dirty")).toBe(120);
  expect(read("nr_writeback")).toBe(7);
  expect(read("nr_dirty_background_threshold")).toBe(197);
  expect(read("nr_dirty_threshold")).toBe(394);
  expect(value("nr_dirty_threshold")).toBeGreaterThan(value("nr_dirty_background_threshold"));
});

test("a statement compares sums of readings with factors", () => {
  expect(holds(view, "min@0/Normal < low@0/Normal")).toBe(true);
  expect(holds(view, "low@0/Normal + low@0/Normal = 2 * low@0/Normal")).toBe(true);
  expect(holds(view, "0.5 * pgpgin >= pgpgin")).toBe(false);
  expect(holds(view, "0 = 0.5 * 0")).toBe(true);
  expect(holds(view, "6 = 2 * 3")).toBe(true);
  expect(holds(view, "0 <= pgmajfault")).toBe(true);
  expect(namesIn(parseStatement("3 * a + b > 4"))).toEqual(["a", "b"]);
});

test.each(["free@0/Norma > 1", "fre@0/Normal > 1", "wakes@9 = 0", "Free > 1", "priority@0 = 12"])(
  "%s is not the name of a reading",
  (statement) => {
    expect(() => holds(view, statement)).toThrow();
  },
);

test.each(["free", "a > b > c", "a >", "a ! b", "2 a > 1"])("cannot parse %s", (statement) => {
  expect(() => parseStatement(statement)).toThrow();
});

test("a text has placeholders for numbers with their nouns", () => {
  const pieces = piecesOf("{low@0/Normal page} of {pgmajfault}, {min@0/Normal}.");
  const text = pieces.map((piece) =>
    piece.kind === "words" ? piece.words : numberIn(piece, readAt(view), String),
  );
  expect(text.join("")).toBe(`${zone?.low} pages of 0, ${zone?.min}.`);
  const [, one] = piecesOf("{pageoutrun time}");
  const single = { ...view, counters: [["pageoutrun", 1] as [string, number]] };
  expect(one?.kind === "place" && numberIn(one, readAt(single), String)).toBe("1 time");
  const [, free] = piecesOf("{pageoutrun free page}");
  expect(free?.kind === "place" && numberIn(free, () => 2, String)).toBe("2 free pages");
});

test("a statement compares runs by name", () => {
  const later = { ...view, counters: [["pageoutrun", 3] as [string, number]] };
  const read = readOf({ "3.0": view, zlcfirst: later });
  expect(isTrue(read, "zlcfirst:pageoutrun = 3")).toBe(true);
  expect(isTrue(read, "3.0:low@0/Normal = zlcfirst:low@0/Normal")).toBe(true);
  expect(() => isTrue(read, "pageoutrun = 3")).toThrow("names no run");
  expect(() => isTrue(read, "3.1:pageoutrun = 3")).toThrow("names no run");
});
