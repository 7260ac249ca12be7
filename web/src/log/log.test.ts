// The log with the real engine: its rows, its texts, and its saved files.

import { beforeAll, expect, test } from "vitest";
import { catalog, TestBench, textCalls } from "../engine/loaded.test-support";
import { answerLog, type LogAct, type LogAnswer, type LogFilter } from "../engine/log";
import { kindsNamed, NO_KIND, type Rec, type RecordName, Rows } from "../engine/record";
import { recordOf, rowsOf } from "../engine/record.test-support";
import { type Words, wordsOf } from "../engine/sentence";
import type { Info, LogEntry } from "../engine/types";
import { chromeTrace, csv, json } from "./formats";
import { ftraceJson } from "./ftrace";
import { EVERYTHING, LogKeeper, MOST, PORTION } from "./keeper";
import { readPages } from "./LogFilters";
import { entryAt, isFound, searchText } from "./rows";

const allOf = (words: Words, rows: Rows): LogEntry[] =>
  Array.from({ length: rows.count }, (_, i) => entryAt(words, rows, i));

/** An experiment run to a step, with its log. */
class Run {
  readonly bench = new TestBench();
  readonly keeper: LogKeeper;
  readonly asked: LogAct[] = [];

  constructor(preset: string, step: number) {
    this.bench.openPreset(preset);
    this.bench.send({ kind: "go", goal: { kind: "step", step } });
    this.keeper = new LogKeeper(async (act) => {
      this.asked.push(act);
      return this.answer(act);
    });
  }

  answer(act: LogAct): LogAnswer {
    const answer = answerLog(this.bench.engine, 0, { kind: "log", act });
    if (!answer) throw new Error("no log is open");
    return answer;
  }

  get info(): Info {
    const opened = this.bench.events.findLast((event) => event.kind === "opened");
    if (!opened) throw new Error("nothing is open");
    return opened.info;
  }

  get events(): LogEntry[] {
    return allOf(this.words, this.keeper.store.getState().rows);
  }

  get words() {
    return wordsOf(catalog, this.info, this.bench.frame.view);
  }
}

const STEP = 118_000;
const all = (log: LogKeeper) => log.store.getState();
const only = (name: RecordName): LogFilter => ({
  ...EVERYTHING,
  kinds: kindsNamed(catalog, [name]),
});

test("the log ends at the current step and uses the words of the page", async () => {
  const run = new Run("anon-hog.teach", STEP);
  await run.keeper.begin(STEP, EVERYTHING);
  const { from, to } = all(run.keeper);
  const events = run.events;
  expect(to).toBe(STEP);
  expect(events.length).toBeGreaterThanOrEqual(PORTION);
  expect(events.every(({ step }) => step > from && step <= STEP)).toBe(true);
  // Compares with the page's own words at steps with events of every kind.
  const kinds = new Map(events.map((event) => [event.name, event]));
  expect(kinds.size).toBeGreaterThan(5);
  for (const { step, name } of kinds.values()) {
    run.bench.send({ kind: "go", goal: { kind: "step", step } });
    const there = run.bench.frame.view.events;
    const here = events.filter((event) => event.step === step);
    expect(here.map((event) => event.name)).toContain(name);
    expect(here).toEqual(there);
  }
});

test("searching further back adds earlier events up to the start of the run", async () => {
  const run = new Run("first-touch.teach", 60_000);
  await run.keeper.begin(60_000, EVERYTHING);
  const first = all(run.keeper);
  await run.keeper.earlier(PORTION);
  const second = all(run.keeper);
  expect(second.from).toBeLessThan(first.from);
  expect(second.rows.numbers.subarray(-first.rows.numbers.length)).toEqual(first.rows.numbers);
  await run.keeper.earlier(MOST);
  const whole = all(run.keeper);
  expect(whole.from).toBe(0);
  const begin = run.answer({ kind: "begin", from: 0, to: 60_000, filter: EVERYTHING });
  const parts = [begin];
  while (!parts.at(-1)?.isDone) parts.push(run.answer({ kind: "more" }));
  const at_once = parts.flatMap(({ rows }) => [...rows]);
  expect([...whole.rows.numbers]).toEqual(at_once);
});

test("keeps all events of a step with too many events and does not claim to reach the start of the run", async () => {
  const one = recordOf("OomWait", {}, { step: 190_000 });
  const { numbers: rows } = rowsOf(Array<Rec>(MOST + 5).fill(one));
  const keeper = new LogKeeper(async () => ({
    kind: "log",
    rows,
    at: 200_000,
    isDone: true,
    isWhole: true,
  }));
  await keeper.begin(200_000, EVERYTHING);
  const { from, rows: newest } = all(keeper);
  expect(newest.count).toBe(MOST + 5);
  expect(from).toBeGreaterThan(0);
  expect(from).toBeLessThan(190_000);
});

test("a log follows small steps forwards and starts again after a jump", async () => {
  const run = new Run("first-touch.teach", 30_000);
  await run.keeper.begin(30_000, EVERYTHING);
  const before = all(run.keeper);
  await run.keeper.reach(31_000);
  const after = all(run.keeper);
  expect(after.to).toBe(31_000);
  expect(after.from).toBe(before.from);
  const known = before.rows.numbers;
  expect(after.rows.numbers.subarray(0, known.length)).toEqual(known);
  expect(after.rows.step(after.rows.count - 1)).toBeGreaterThan(30_000);
  await run.keeper.reach(20_000);
  expect(all(run.keeper)).toBe(after);
  await run.keeper.reach(31_000 + (1 << 19));
  expect(all(run.keeper).to).toBe(31_000 + (1 << 19));
  expect(all(run.keeper).from).toBeGreaterThan(31_000);
});

test("filters by task, zone, page and kind in the engine", async () => {
  const run = new Run("anon-hog.teach", STEP);
  await run.keeper.begin(STEP, only("mm_page_alloc"));
  const events = run.events;
  expect(new Set(events.map(({ name }) => name))).toEqual(new Set(["mm_page_alloc"]));
  const { pfn, task, zone } = events.at(-1) ?? {};
  await run.keeper.begin(STEP, { ...EVERYTHING, pages: [pfn ?? 0, pfn ?? 0] });
  expect(run.events.length).toBeGreaterThan(1);
  expect(run.events.some((event) => event.pfn === pfn)).toBe(true);
  await run.keeper.begin(STEP, { ...EVERYTHING, task: task ?? 0 });
  expect(new Set(run.events.map((event) => event.task))).toEqual(new Set([task]));
  await run.keeper.begin(STEP, { ...EVERYTHING, zone: run.words.zones.indexOf(zone ?? "") });
  expect(new Set(run.events.map((event) => event.zone))).toEqual(new Set([zone]));
});

test("keeps the events found when a search is stopped", async () => {
  const run = new Run("anon-hog.teach", STEP);
  const looking = run.keeper.begin(STEP, only("sched_process_exit"));
  await Promise.resolve();
  run.keeper.stop();
  await looking;
  expect(all(run.keeper).look).toBe(null);
  expect(all(run.keeper).rows.count).toBe(0);
  await run.keeper.begin(STEP, EVERYTHING);
  expect(run.events.length).toBeGreaterThanOrEqual(PORTION);
});

test("lists decisions with the events or alone, in the same sentences as the page", async () => {
  const run = new Run("anon-hog.teach", STEP);
  await run.keeper.begin(STEP, { ...EVERYTHING, decisions: true });
  const both = run.events;
  const { from } = all(run.keeper);
  await run.keeper.begin(STEP, { ...EVERYTHING, kinds: [NO_KIND], decisions: true });
  const decisions = run.events;
  expect(decisions.every(({ sentence }) => sentence !== null)).toBe(true);
  expect(both.filter(({ sentence }) => sentence !== null)).toEqual(
    decisions.filter(({ step }) => step > from),
  );
  expect(both.some(({ sentence }) => sentence === null)).toBe(true);
  // The page has the same sentences for the last ones.
  for (const decision of decisions.slice(-20)) {
    run.bench.send({ kind: "go", goal: { kind: "step", step: decision.step } });
    expect(run.bench.frame.view.why).toMatchObject(decision);
  }
});

test("reports that a log of another experiment has ended", () => {
  const run = new Run("first-touch.teach", 1000);
  run.answer({ kind: "begin", from: 0, to: 1000, filter: EVERYTHING });
  run.bench.openPreset("run-out.teach");
  run.bench.send({ kind: "ask", id: 7, question: { kind: "log", act: { kind: "more" } } });
  expect(run.bench.answers.get(7)).toEqual({
    kind: "failed",
    message: "another experiment was opened",
  });
});

test("a search needs every word, in names, tasks and fields", () => {
  const text = "mm_page_alloc hog/1 0/normal #118,271 pfn=0x840 order=0";
  expect(isFound(text, "hog ORDER=0")).toBe(true);
  expect(isFound(text, "hog order=1")).toBe(false);
});

test("reads page frame numbers in the formats that people use", () => {
  expect(readPages("0x840")).toEqual([0x840, 0x840]);
  expect(readPages(" 2,112 - 2200")).toEqual([2112, 2200]);
  expect(readPages("0x9-0x8")).toBe(null);
  expect(readPages("dma")).toBe(null);
});

// ---- Saved files

/** A reader of RFC 4180 that shares no code with the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i] ?? "";
    if (isQuoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else isQuoted = false;
    } else if (c === '"') isQuoted = true;
    else if (c === "," || c === "\r") {
      rows.at(-1)?.push(cell);
      cell = "";
    } else if (c === "\n") rows.push([]);
    else cell += c;
  }
  return rows.slice(0, -1);
}

let saved: LogEntry[] = [];
let timeline: Float64Array = new Float64Array();
let zones: readonly string[] = [];
let tasks = new Map<number, { name: string; pid: number }>();

beforeAll(async () => {
  const run = new Run("anon-hog.teach", STEP);
  await run.keeper.begin(STEP, EVERYTHING);
  ({ zones } = run.words);
  saved = run.events;
  timeline = run.bench.frame.timeline ?? timeline;
  tasks = new Map(run.bench.frame.view.tasks.map((task) => [task.id, task]));
});

const TYPES = ["DMA", "DMA32", "Normal", "Movable"];

/** Events of a fixed search, whatever the engine does. */
function samples(): LogEntry[] {
  const words: Words = {
    catalog,
    migratetypes: ["Unmovable", "Movable", "Reclaimable", "HighAtomic"],
    zones: ["0/DMA", "0/Normal"],
    tasks: new Map([
      [1, { name: 'say "hi", twice/1', pid: 1001 }],
      [2, { name: "kswapd0", pid: 1002 }],
    ]),
    zone_types: TYPES,
    page_size: 4096,
    lists: ["0"],
    devices: [],
  };
  const at = (step: number, task: number, zone: number | null = null) => ({
    step,
    time_ns: step * 1234,
    task,
    zone,
  });
  const alloc = { pfn: 0x840, order: 0, migratetype: 1, gfp_flags: 0x180b };
  const none = { pfn: null, order: 0, migratetype: 0, gfp_flags: 0 };
  const begin = { order: 0, may_writepage: true, gfp_flags: 0x180b };
  const shrunk = {
    ...{ nid: 0, zid: 0, nr_scanned: 32, nr_reclaimed: 20, nr_dirty: 0, nr_writeback: 3 },
    ...{ nr_immediate: 0, nr_activate: 0, nr_ref_keep: 12, priority: 12 },
    ...{ file: true, kswapd: false, sync: false },
  };
  const wakeup = { nid: 0, zid: 1, order: 3, gfp_flags: 0 };
  // 40 free pages, of which 38 count; the low watermark is 38 and 2 pages are reserved.
  const fail = { zone: 1, free: 40, counted: 38, mark: 1, kept_back: 2, needs: 38 };
  const pages = [
    { page: 0x840, outcome: "freed" },
    { page: 0x841, outcome: "kept" },
  ] as const;
  const done = { taken: 2, freed: 1, put_back: 1, lists: 0, lru: 2, pages };
  const records = [
    recordOf("mm_page_alloc", alloc, at(10, 1, 1)),
    recordOf("mm_vmscan_direct_reclaim_begin", begin, at(11, 1)),
    recordOf("mm_vmscan_lru_shrink_inactive", shrunk, at(20, 1)),
    recordOf("mm_vmscan_direct_reclaim_end", { nr_reclaimed: 20 }, at(30, 1)),
    recordOf("mm_page_free_batched", { pfn: 0x12 }, at(31, 2, 0)),
    recordOf("merge", { pfn: 0x12, order: 1 }, at(32, 2, 0)),
    recordOf("mm_page_alloc", none, at(33, 1)),
    recordOf("mm_vmscan_wakeup_kswapd", wakeup, at(34, 1, 1)),
    recordOf("WmFail", fail, at(35, 1, 1)),
    recordOf("BatchDone", done, at(36, 2)),
  ];
  return allOf(words, rowsOf(records));
}

test("writes CSV", () => {
  expect(csv(samples())).toMatchInlineSnapshot(`
    "step,time_ns,cpu,task,pid,event,kernel_tracepoint,zone,pfn,fields,sentence
    10,12340,0,"say ""hi"", twice/1",1001,mm_page_alloc,true,0/Normal,2112,pfn=2112 order=0 migratetype=Movable gfp_flags=GFP_HIGHUSER_MOVABLE,
    11,13574,0,"say ""hi"", twice/1",1001,mm_vmscan_direct_reclaim_begin,true,,,order=0 may_writepage=1 gfp_flags=GFP_HIGHUSER_MOVABLE,
    20,24680,0,"say ""hi"", twice/1",1001,mm_vmscan_lru_shrink_inactive,true,,,nid=0 zid=DMA nr_scanned_pages=32 nr_reclaimed_pages=20 nr_dirty_pages=0 nr_writeback_pages=3 nr_immediate_pages=0 nr_activate_pages=0 nr_ref_keep_pages=12 priority=12 file=1 kswapd=0 sync=0,
    30,37020,0,"say ""hi"", twice/1",1001,mm_vmscan_direct_reclaim_end,true,,,nr_reclaimed_pages=20,
    31,38254,0,kswapd0,1002,mm_page_free_batched,true,0/DMA,18,pfn=18,
    32,39488,0,kswapd0,1002,merge,false,0/DMA,18,pfn=18 order=1,
    33,40722,0,"say ""hi"", twice/1",1001,mm_page_alloc,true,,,pfn= order=0 migratetype=Unmovable gfp_flags=0,
    34,41956,0,"say ""hi"", twice/1",1001,mm_vmscan_wakeup_kswapd,true,0/Normal,,nid=0 zid=0/Normal order=3 gfp_flags=0,
    35,43190,0,"say ""hi"", twice/1",1001,WmFail,false,0/Normal,,zone=0/Normal free=40 counted=38 mark=low kept_back=2 needs=38,"Normal on node 0 has 40 free pages; the watermark check counts 38, which is not above 38 (low plus a reserve of 2): the check fails."
    36,44424,0,kswapd0,1002,BatchDone,false,,,"taken=2 freed=1 put_back=1 lists=0 lru=inactive_file pages=0x840:freed,0x841:kept",Reclaim isolated 2 pages: it freed 1 and put 1 back.
    "
  `);
  const [head = [], ...rows] = readCsv(csv(saved));
  expect(rows.length).toBe(saved.length);
  const column = (name: string) => head.indexOf(name);
  rows.forEach((row, i) => {
    const event = saved[i];
    expect(row.length).toBe(head.length);
    expect(Number(row[column("step")])).toBe(event?.step);
    expect(row[column("event")]).toBe(event?.name);
    expect(row[column("task")]).toBe(event?.taskName);
    expect(row[column("pfn")]).toBe(event?.pfn === null ? "" : String(event?.pfn));
  });
  expect(readCsv(csv(samples()))[1]?.[3]).toBe('say "hi", twice/1');
});

test("writes JSON", () => {
  expect(json(samples())).toMatchInlineSnapshot(`
    "[
    {"step":10,"time_ns":12340,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_page_alloc","kernel_tracepoint":true,"zone":"0/Normal","pfn":2112,"fields":{"pfn":2112,"order":0,"migratetype":"Movable","gfp_flags":"GFP_HIGHUSER_MOVABLE"}},
    {"step":11,"time_ns":13574,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_vmscan_direct_reclaim_begin","kernel_tracepoint":true,"zone":null,"pfn":null,"fields":{"order":0,"may_writepage":1,"gfp_flags":"GFP_HIGHUSER_MOVABLE"}},
    {"step":20,"time_ns":24680,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_vmscan_lru_shrink_inactive","kernel_tracepoint":true,"zone":null,"pfn":null,"fields":{"nid":0,"zid":"DMA","nr_scanned_pages":32,"nr_reclaimed_pages":20,"nr_dirty_pages":0,"nr_writeback_pages":3,"nr_immediate_pages":0,"nr_activate_pages":0,"nr_ref_keep_pages":12,"priority":12,"file":1,"kswapd":0,"sync":0}},
    {"step":30,"time_ns":37020,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_vmscan_direct_reclaim_end","kernel_tracepoint":true,"zone":null,"pfn":null,"fields":{"nr_reclaimed_pages":20}},
    {"step":31,"time_ns":38254,"cpu":0,"task":"kswapd0","pid":1002,"event":"mm_page_free_batched","kernel_tracepoint":true,"zone":"0/DMA","pfn":18,"fields":{"pfn":18}},
    {"step":32,"time_ns":39488,"cpu":0,"task":"kswapd0","pid":1002,"event":"merge","kernel_tracepoint":false,"zone":"0/DMA","pfn":18,"fields":{"pfn":18,"order":1}},
    {"step":33,"time_ns":40722,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_page_alloc","kernel_tracepoint":true,"zone":null,"pfn":null,"fields":{"pfn":null,"order":0,"migratetype":"Unmovable","gfp_flags":"0"}},
    {"step":34,"time_ns":41956,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"mm_vmscan_wakeup_kswapd","kernel_tracepoint":true,"zone":"0/Normal","pfn":null,"fields":{"nid":0,"zid":"0/Normal","order":3,"gfp_flags":"0"}},
    {"step":35,"time_ns":43190,"cpu":0,"task":"say \\"hi\\", twice/1","pid":1001,"event":"WmFail","kernel_tracepoint":false,"zone":"0/Normal","pfn":null,"fields":{"zone":"0/Normal","free":40,"counted":38,"mark":"low","kept_back":2,"needs":38},"sentence":"Normal on node 0 has 40 free pages; the watermark check counts 38, which is not above 38 (low plus a reserve of 2): the check fails."},
    {"step":36,"time_ns":44424,"cpu":0,"task":"kswapd0","pid":1002,"event":"BatchDone","kernel_tracepoint":false,"zone":null,"pfn":null,"fields":{"taken":2,"freed":1,"put_back":1,"lists":"0","lru":"inactive_file","pages":[{"pfn":2112,"outcome":"freed"},{"pfn":2113,"outcome":"kept"}]},"sentence":"Reclaim isolated 2 pages: it freed 1 and put 1 back."}
    ]
    "
  `);
  const read: Record<string, unknown>[] = JSON.parse(json(saved));
  expect(
    read.map(({ step, time_ns, event, zone, pfn }) => [step, time_ns, event, zone, pfn]),
  ).toEqual(saved.map(({ step, time_ns, name, zone, pfn }) => [step, time_ns, name, zone, pfn]));
  expect(JSON.parse(json([]))).toEqual([]);
});

test("writes a trace for timeline viewers", () => {
  const context = {
    title: "A test",
    zones: ["0/DMA", "0/Normal"],
    timeline: Float64Array.from(
      [
        [0, 0, 7, 90],
        [15, 18_510, 6, 80],
        [64, 79_000, 5, 70],
      ].flatMap(([step = 0, time_ns = 0, ...free]) => [7, 0, step, time_ns, time_ns, ...free, 0]),
    ),
    tasks: new Map([[0, { name: "kswapd0", pid: 1002 }]]),
    isEverything: true,
  };
  expect(chromeTrace(samples(), context)).toMatchInlineSnapshot(`
    "{"traceEvents":[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"A test"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1001,"args":{"name":"say \\"hi\\", twice/1"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":1002,"args":{"name":"kswapd0"}},
    {"ph":"C","name":"0/DMA","ts":0,"pid":1,"args":{"free pages":7}},
    {"ph":"C","name":"0/Normal","ts":0,"pid":1,"args":{"free pages":90}},
    {"ph":"C","name":"0/DMA","ts":18.51,"pid":1,"args":{"free pages":6}},
    {"ph":"C","name":"0/Normal","ts":18.51,"pid":1,"args":{"free pages":80}},
    {"ph":"X","name":"direct reclaim","cat":"stretch","ts":13.574,"dur":23.446,"pid":1,"tid":1001},
    {"ph":"i","s":"t","name":"mm_page_alloc","cat":"tracepoint","ts":12.34,"pid":1,"tid":1001,"args":{"pfn":"0x840","order":0,"migratetype":"Movable","gfp_flags":"GFP_HIGHUSER_MOVABLE","step":10,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_vmscan_direct_reclaim_begin","cat":"tracepoint","ts":13.574,"pid":1,"tid":1001,"args":{"order":0,"may_writepage":1,"gfp_flags":"GFP_HIGHUSER_MOVABLE","step":11,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_vmscan_lru_shrink_inactive","cat":"tracepoint","ts":24.68,"pid":1,"tid":1001,"args":{"nid":0,"zid":"DMA","nr_scanned_pages":32,"nr_reclaimed_pages":20,"nr_dirty_pages":0,"nr_writeback_pages":3,"nr_immediate_pages":0,"nr_activate_pages":0,"nr_ref_keep_pages":12,"priority":12,"file":1,"kswapd":0,"sync":0,"step":20,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_vmscan_direct_reclaim_end","cat":"tracepoint","ts":37.02,"pid":1,"tid":1001,"args":{"nr_reclaimed_pages":20,"step":30,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_page_free_batched","cat":"tracepoint","ts":38.254,"pid":1,"tid":1002,"args":{"pfn":"0x12","step":31,"cpu":0}},
    {"ph":"i","s":"t","name":"merge","cat":"engine","ts":39.488,"pid":1,"tid":1002,"args":{"pfn":"0x12","order":1,"step":32,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_page_alloc","cat":"tracepoint","ts":40.722,"pid":1,"tid":1001,"args":{"pfn":"none","order":0,"migratetype":"Unmovable","gfp_flags":"0","step":33,"cpu":0}},
    {"ph":"i","s":"t","name":"mm_vmscan_wakeup_kswapd","cat":"tracepoint","ts":41.956,"pid":1,"tid":1001,"args":{"nid":0,"zid":"0/Normal","order":3,"gfp_flags":"0","step":34,"cpu":0}},
    {"ph":"i","s":"t","name":"WmFail","cat":"decision","ts":43.19,"pid":1,"tid":1001,"args":{"zone":"0/Normal","free":40,"counted":38,"mark":"low","kept_back":2,"needs":38,"sentence":"Normal on node 0 has 40 free pages; the watermark check counts 38, which is not above 38 (low plus a reserve of 2): the check fails.","step":35,"cpu":0}},
    {"ph":"i","s":"t","name":"BatchDone","cat":"decision","ts":44.424,"pid":1,"tid":1002,"args":{"taken":2,"freed":1,"put_back":1,"lists":"0","lru":"inactive_file","pages":[{"pfn":2112,"outcome":"freed"},{"pfn":2113,"outcome":"kept"}],"sentence":"Reclaim isolated 2 pages: it freed 1 and put 1 back.","step":36,"cpu":0}}
    ]}
    "
  `);
  const read: { traceEvents: Record<string, unknown>[] } = JSON.parse(
    chromeTrace(saved, { title: "A test", zones, timeline, tasks, isEverything: true }),
  );
  const by = (ph: string) => read.traceEvents.filter((event) => event.ph === ph);
  expect(by("i").map(({ name }) => name)).toEqual(saved.map(({ name }) => name));
  const lanes = by("M").filter(({ name }) => name === "thread_name");
  const ofEvents = lanes.filter(({ pid }) => pid === 1);
  expect(new Set(ofEvents.map(({ tid }) => tid))).toEqual(new Set(saved.map(({ pid }) => pid)));
  // The states of tasks have their own tracks and do not overlap.
  const states = by("X").filter(({ cat }) => cat === "moments");
  expect(new Set(states.map(({ name }) => name))).toContain("reclaiming");
  const ends = new Map<unknown, number>();
  for (const { tid, ts, dur } of states) {
    expect(Number(ts)).toBeGreaterThanOrEqual((ends.get(tid) ?? 0) - 1e-6);
    ends.set(tid, Number(ts) + Number(dur));
  }
  expect(new Set(by("C").map(({ name }) => name)).size).toBe(zones.length);
  for (const event of read.traceEvents) {
    expect(["M", "i", "X", "C"]).toContain(event.ph);
    if (event.ph === "M") expect([1, 2]).toContain(event.pid);
    else expect(event.pid).toBe(event.cat === "moments" ? 2 : 1);
    if (event.ph !== "M") expect(Number.isFinite(event.ts)).toBe(true);
    if (event.ph === "X") expect(Number(event.dur)).toBeGreaterThanOrEqual(0);
  }
});

test("an interval without a begin or end event extends to the edge of a complete trace", () => {
  const rows = samples();
  const [begin, end] = ["begin", "end"].map((what) =>
    rows.findIndex(({ name }) => name === `mm_vmscan_direct_reclaim_${what}`),
  ) as [number, number];
  const drawn = (events: readonly LogEntry[], isEverything: boolean) => {
    const context = { title: "A test", zones, timeline, tasks: new Map(), isEverything };
    const read: { traceEvents: Record<string, unknown>[] } = JSON.parse(
      chromeTrace(events, context),
    );
    return read.traceEvents
      .filter(({ cat }) => cat === "stretch")
      .map(({ ts, dur }) => [Number(ts) * 1000, (Number(ts) + Number(dur)) * 1000]);
  };
  const near = (times: readonly number[]) => times.map((time) => expect.closeTo(time, 3));
  const time = (index: number) => rows[index]?.time_ns ?? -1;
  const [onlyBegun, onlyEnded] = [rows.slice(0, end), rows.slice(begin + 1)];
  expect(drawn(rows, false)).toEqual([near([time(begin), time(end)])]);
  expect(drawn(onlyBegun, true)).toEqual([near([time(begin), time(end - 1)])]);
  expect(drawn(onlyEnded, true)).toEqual([near([time(begin + 1), time(end)])]);
  // If events are left out, the missing one may be among them.
  expect(drawn(onlyBegun, false)).toEqual([]);
  expect(drawn(onlyEnded, false)).toEqual([]);
});

test("a trace follows the format: named tracks, nested slices, numeric counters, µs", () => {
  const text = chromeTrace(saved, { title: "A test", zones, timeline, tasks, isEverything: true });
  const read: { traceEvents: Record<string, unknown>[] } = JSON.parse(text);
  // Perfetto of 2021 reads displayTimeUnit as the unit of the times.
  expect(Object.keys(read)).toEqual(["traceEvents"]);
  const named = new Set(
    read.traceEvents
      .filter(({ ph, name }) => ph === "M" && name === "thread_name")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tracks = new Map<unknown, [number, number][]>();
  for (const { ph, s, pid, tid: thread, ts, dur, args } of read.traceEvents) {
    const tid = `${pid} ${thread}`;
    if (ph === "C") {
      const values = Object.values(args as Record<string, unknown>);
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) expect(typeof value).toBe("number");
    }
    if (ph !== "i" && ph !== "X") continue;
    expect(named).toContain(tid);
    if (ph === "i") expect(s).toBe("t");
    else tracks.set(tid, [...(tracks.get(tid) ?? []), [Number(ts), Number(ts) + Number(dur)]]);
  }
  expect(tracks.size).toBeGreaterThan(1);
  for (const slices of tracks.values()) {
    for (const [from, to] of slices) {
      const crossing = slices.filter(
        ([begins, ends]) => begins > from + 1e-6 && begins < to - 1e-6 && ends > to + 1e-6,
      );
      expect(crossing).toEqual([]);
    }
  }
  // A trace counts in µs: its last event has the time of the log's last event.
  const last = read.traceEvents.findLast(({ ph }) => ph === "i");
  expect(Number(last?.ts) * 1000).toBeCloseTo(saved.at(-1)?.time_ns ?? -1, 3);
});

/** A machine of the smallest size. */
const SMALL = {
  experiment: "a-test",
  workload: "",
  machine: "small",
  seed: 1,
  zone_types: TYPES,
  pageblock_order: 9,
};

/** Events as the engine prints them. */
async function ftrace(events: readonly LogEntry[], kernel: string): Promise<string> {
  const { print_ftrace } = textCalls();
  return print_ftrace(kernel, ftraceJson(events, { ...SMALL, kernel }));
}

test("writes trace lines of several releases", async () => {
  expect(await ftrace(samples(), "3.0")).toMatchInlineSnapshot(`
    "# Simulated by mmscope: a-test, kernel 3.0, machine small, seed 1. No real machine ran this.
    # Events the kernel has no tracepoint for begin with mmscope_. The clock begins at 1 s.
    # Page addresses are made up.
    # tracer: nop
    #
      say-hi-twice-1-1001  [000]     1.000012: mm_page_alloc: page=00000000ea021000 pfn=2112 order=0 migratetype=2 gfp_flags=GFP_HIGHUSER_MOVABLE
      say-hi-twice-1-1001  [000]     1.000013: mm_vmscan_direct_reclaim_begin: order=0 may_writepage=1 gfp_flags=GFP_HIGHUSER_MOVABLE
      say-hi-twice-1-1001  [000]     1.000024: mm_vmscan_lru_shrink_inactive: nid=0 zid=0 nr_scanned=32 nr_reclaimed=20 priority=12 flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC
      say-hi-twice-1-1001  [000]     1.000037: mm_vmscan_direct_reclaim_end: nr_reclaimed=20
             kswapd0-1002  [000]     1.000038: mm_pagevec_free: page=00000000ea000480 pfn=18 order=0 cold=0
             kswapd0-1002  [000]     1.000039: mmscope_merge: page=00000000ea000480 pfn=18 order=1
      say-hi-twice-1-1001  [000]     1.000040: mm_page_alloc: page=0000000000000000 pfn=0 order=0 migratetype=0 gfp_flags=GFP_NOWAIT
      say-hi-twice-1-1001  [000]     1.000041: mm_vmscan_wakeup_kswapd: nid=0 zid=2 order=3
    "
  `);
  expect(await ftrace(samples(), "6.1")).toMatchInlineSnapshot(`
    "# Simulated by mmscope: a-test, kernel 6.1, machine small, seed 1. No real machine ran this.
    # Events the kernel has no tracepoint for begin with mmscope_. The clock begins at 1 s.
    # Page addresses are made up. classzone is derived; nr_congested and nr_unmap_fail are always 0.
    # tracer: nop
    #
      say-hi-twice-1-1001    [000] .....     1.000012: mm_page_alloc: page=00000000ea021000 pfn=0x840 order=0 migratetype=1 gfp_flags=GFP_HIGHUSER_MOVABLE
      say-hi-twice-1-1001    [000] .....     1.000013: mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=GFP_HIGHUSER_MOVABLE
      say-hi-twice-1-1001    [000] .....     1.000024: mm_vmscan_lru_shrink_inactive: nid=0 nr_scanned=32 nr_reclaimed=20 nr_dirty=0 nr_writeback=3 nr_congested=0 nr_immediate=0 nr_activate_anon=0 nr_activate_file=0 nr_ref_keep=12 nr_unmap_fail=0 priority=12 flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC
      say-hi-twice-1-1001    [000] .....     1.000037: mm_vmscan_direct_reclaim_end: nr_reclaimed=20
             kswapd0-1002    [000] .....     1.000038: mm_page_free_batched: page=00000000ea000480 pfn=0x12 order=0
             kswapd0-1002    [000] .....     1.000039: mmscope_merge: page=00000000ea000480 pfn=0x12 order=1
      say-hi-twice-1-1001    [000] .....     1.000040: mm_page_alloc: page=0000000000000000 pfn=0x0 order=0 migratetype=0 gfp_flags=none
      say-hi-twice-1-1001    [000] .....     1.000041: mm_vmscan_wakeup_kswapd: nid=0 order=3 gfp_flags=none
    "
  `);
  const { print_ftrace } = textCalls();
  const plain = print_ftrace("6.1", ftraceJson(samples(), { ...SMALL, kernel: "6.1" }, true));
  const withoutFlags = (await ftrace(samples(), "6.1")).replaceAll("] ..... ", "] ").split("\n");
  expect(plain.split("\n").filter((text) => !text.startsWith("#"))).toEqual(
    withoutFlags.filter((text) => !text.startsWith("#")),
  );
  expect(plain).toContain("# For the kernel's own scripts");
  // The pattern by which the kernel's own scripts split a line.
  const line = /^\s*([a-zA-Z0-9-]*)-([0-9]*)\s+\[(\d+)\]\s+[.]{5}\s+(\d+\.\d{6}): (\w+): (.*)$/;
  const lines = (await ftrace(saved, "6.1"))
    .split("\n")
    .filter((text) => text !== "" && !text.startsWith("#"));
  expect(lines.length).toBe(saved.length);
  const byTime = [...saved].sort((a, b) => a.time_ns - b.time_ns);
  lines.forEach((text, i) => {
    const [, , pid, cpu, , name = ""] = line.exec(text) ?? [];
    expect([Number(pid), Number(cpu)]).toEqual([byTime[i]?.pid, byTime[i]?.cpu]);
    expect(name.startsWith("mmscope_") ? name.slice(8) : name).toBe(
      byTime[i]?.name.replace("mm_vmscan_writepage", "mm_vmscan_write_folio"),
    );
  });
});

test("a search covers everything that a row shows", () => {
  const [first] = samples();
  expect(first && searchText(first)).toContain("pfn=0x840 order=0 migratetype=movable");
  expect(first && searchText(first)).toContain("0/normal #10");
});

test("a row of a log is one event", () => {
  const run = new Run("first-touch.teach", 5000);
  const { rows } = run.answer({ kind: "begin", from: 0, to: 5000, filter: EVERYTHING });
  expect(entryAt(run.words, new Rows(rows), 0).step).toBeGreaterThan(0);
});
