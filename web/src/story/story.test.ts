// The sentences of runs of the real engine, and how long they are shown.

import { describe, expect, test } from "vitest";
import { catalog, loadEngine, openText, presetJson, viewNow } from "../engine/loaded.test-support";
import { answerLog } from "../engine/log";
import { moments } from "./moments";
import { pace, picks, Read, readingMs } from "./pace";
import { isPlain, plainly } from "./plain";
import { type RecordName, RecordReader, type StoryRecord } from "./records";
import { type Moment, type MomentKind, type StoryWords, textOf, wordsIn } from "./telling";

interface Run {
  readonly records: readonly StoryRecord[];
  readonly words: StoryWords;
}

/** The records of a ready-made run, from a step up to another. */
const runOf = (preset: string, to: number, from = 0): Run =>
  runOfText(presetJson(preset), to, from);

function runOfText(json: string, to: number, from = 0): Run {
  const engine = loadEngine();
  openText(engine, 0, json);
  const { zones, tasks } = viewNow(engine);
  const words = {
    zones,
    tasks: new Map(tasks.map(({ id, name }) => [id, name])),
    devices: ["sda"],
    lru: catalog.lru,
  };
  const reader = new RecordReader(catalog);
  const filter = reader.filterOf();
  const records: StoryRecord[] = [];
  let answer = answerLog(engine, 0, {
    kind: "log",
    act: { kind: "begin", from, to, filter },
  });
  while (answer) {
    records.push(...reader.read(answer.rows).records);
    answer = answer.isDone ? null : answerLog(engine, 0, { kind: "log", act: { kind: "more" } });
  }
  return { records, words };
}

const hog = runOf("anon-hog.teach", 140_000);
const writers = runOf("dirty-writer.teach", 20_000);
const leak = runOf("out-of-memory.teach", 200_000);
const driver = runOf("kernel-among-user.teach", 120_000);
const container = runOf("container-at-its-limit.teach", 400_000);
/** A run in which a cgroup with some limits has two processes that need 3 MiB each. */
const groupRun = (limits: Readonly<Record<string, unknown>>) => {
  const grows = (name: string) => ({
    name,
    cgroup: "app",
    program: [
      { op: "map", region: "heap", size: "3 MiB" },
      { op: "touch", region: "heap" },
      { op: "think", time: "500ms" },
    ],
  });
  return runOfText(
    JSON.stringify({
      ...JSON.parse(presetJson("container-at-its-limit.teach")),
      id: "",
      length: "5s",
      workload: {
        id: "w",
        cgroups: [{ name: "app", ...limits }],
        processes: [grows("left"), grows("right")],
      },
    }),
    400_000,
  );
};
const high = groupRun({ "memory.high": "2 MiB" });
const whole = groupRun({ "memory.max": "4 MiB", "memory.oom.group": true });
/** A driver takes all memory, and no process has memory of its own. */
const panicked = runOfText(
  JSON.stringify({
    machine: "x86_64-8g-teach",
    kernel: "6.1",
    seed: 1,
    length: "1s",
    tunables: { transparent_hugepage: "never" },
    workload: {
      id: "w",
      processes: [
        { name: "driver", program: [{ op: "alloc", pool: "p", order: 0, count: "100%" }] },
      ],
    },
  }),
  1_000_000,
);
const kindsOf = (sentences: readonly Moment[]) => new Set(sentences.map(({ kind }) => kind));

describe("story events", () => {
  /** The records from which each kind of sentence is made: without them there is none. */
  const MADE_FROM: readonly [MomentKind, Run, readonly RecordName[]][] = [
    ["zone refused", hog, ["WmFail", "WmFailPlain"]],
    ["kswapd woken", hog, ["mm_vmscan_wakeup_kswapd"]],
    ["kswapd naps", hog, ["KswapdNap"]],
    ["batch isolated", hog, ["Isolated"]],
    ["batch done", hog, ["BatchDone"]],
    ["stall begun", hog, ["mm_vmscan_direct_reclaim_begin"]],
    ["stall ended", hog, ["mm_vmscan_direct_reclaim_end"]],
    ["first page from another node", hog, ["mm_page_alloc"]],
    ["mark crossed downwards", hog, ["SplitDone", "PlaceHead", "WmPass", "WmPassPlain"]],
    ["throttle begun", writers, ["BdpPause", "WriteThrottled"]],
    ["write-out begun", writers, ["FlushBackground", "FlushPeriodic", "Pageout"]],
    ["swap full", leak, ["SwapFull"]],
    ["reclaim gives up", leak, ["ReclaimGiveUp"]],
    ["out of memory", leak, ["OomKill", "fault_oom"]],
    ["memory back", leak, ["sched_process_exit"]],
    ["kernel page among movable", driver, ["mm_page_alloc_extfrag"]],
    ["kernel panic", panicked, ["kernel_panic"]],
    ["charge over limit", container, ["ChargeOver"]],
    ["charge fits", container, ["ChargeRoom"]],
    ["charge fails", whole, ["ChargeFails"]],
    ["cgroup out of memory", whole, ["MemcgOom"]],
    ["throttle begun", high, ["HighPause", "Throttled"]],
  ];
  test.each(MADE_FROM)("%s appears only if its records exist", (kind, run, names) => {
    expect(kindsOf(moments(run.records, run.words))).toContain(kind);
    const rest = run.records.filter(({ name }) => !names.includes(name));
    expect(kindsOf(moments(rest, run.words))).not.toContain(kind);
  });

  test("keeps every sentence within 12 words and names a task or a zone in it", () => {
    for (const { records, words } of [
      hog,
      writers,
      leak,
      driver,
      panicked,
      container,
      high,
      whole,
    ]) {
      for (const { sentence } of moments(records, words)) {
        expect(wordsIn(sentence), textOf(sentence)).toBeLessThanOrEqual(12);
        expect(sentence.some(({ kind }) => kind === "task" || kind === "zone")).toBe(true);
      }
    }
  });

  test("describes a cgroup that is killed as a whole, from the first failed charge", () => {
    const kinds: readonly MomentKind[] = [
      "charge over limit",
      "cgroup out of memory",
      "out of memory",
      "charge fails",
      "memory back",
    ];
    const told = moments(whole.records, whole.words).filter(({ kind }) => kinds.includes(kind));
    const firsts = kinds.map((kind) =>
      textOf(told.find((each) => each.kind === kind)?.sentence ?? []),
    );
    expect(firsts).toEqual([
      expect.stringMatching(
        /^\S+ reclaims in its cgroup, which uses 1,024 pages \(memory\.max 1,024\)\.$/,
      ),
      expect.stringMatching(/^\S+ can reclaim nothing: its cgroup uses 1,024 of 1,024 pages\.$/),
      expect.stringMatching(/^The cgroup’s OOM killer kills \S+ \(\d+ pages, 0 swapped\)\.$/),
      expect.stringMatching(/^\S+ gets no page: its cgroup uses 1,024 of 1,024 pages\.$/),
      expect.stringMatching(/^\S+ has exited: its \d+ pages are free again\.$/),
    ]);
    const kills = told.filter(({ kind }) => kind === "out of memory");
    expect(kills.map(({ sentence }) => textOf(sentence))).toEqual([
      firsts[2],
      expect.stringMatching(/^The OOM killer also kills \S+ because memory\.oom\.group is set\.$/),
    ]);
  });

  test("names memory.high when a task pauses above it, and when the task continues", () => {
    const told = moments(high.records, high.words);
    const pause = told.find(({ kind }) => kind === "throttle begun");
    expect(textOf(pause?.sentence ?? [])).toMatch(
      /^\S+ is throttled: its cgroup uses \d+ pages \(memory\.high 512\)\.$/,
    );
    expect(kindsOf(told)).toContain("throttle ended");
  });

  test("describes an OOM kill completely: the victim, the reason, and the memory freed", () => {
    const sentences = moments(leak.records, leak.words);
    const ofEnd = ["swap full", "reclaim gives up", "out of memory", "memory back"];
    const firsts = [...kindsOf(sentences)].filter((kind) => ofEnd.includes(kind));
    expect(firsts).toEqual(ofEnd);
    const wordsOf = (kind: MomentKind) => {
      const found = sentences.filter((moment) => moment.kind === kind);
      expect(found).toHaveLength(1);
      return textOf(found[0]?.sentence ?? []);
    };
    expect(wordsOf("out of memory")).toMatch(
      /^The OOM killer kills (leak\/1|task \d+), the largest process \([\d,]+ pages, [\d,]+ swapped\)\.$/,
    );
    expect(wordsOf("memory back")).toMatch(
      /^(leak\/1|task \d+) has exited: its [\d,]+ pages are free again\.$/,
    );
  });

  test("names the waker when a throttled task continues", () => {
    const sentences = moments(writers.records, writers.words);
    const ended = sentences.filter(({ kind }) => kind === "throttle ended");
    expect(ended.some(({ woken }) => woken?.waker != null)).toBe(true);
    const begun = sentences.filter(({ kind }) => kind === "throttle begun");
    expect(begun.length).toBeGreaterThanOrEqual(ended.length);
  });
});

describe("pace", () => {
  const [moment] = moments(hog.records, hog.words);
  if (!moment) throw new Error("the run tells nothing");

  test("shows a sentence long enough to read, half as long the second time, and a quarter from the fifth time", () => {
    const first = readingMs(moment, 0);
    expect(first).toBeGreaterThanOrEqual(1200 + 250 * wordsIn(moment.sentence));
    expect(readingMs(moment, 1)).toBe(first / 2);
    expect(readingMs(moment, 3)).toBe(first / 2);
    expect(readingMs(moment, 4)).toBe(first / 4);
  });

  test("skips a wait within half a second and names the event that ends it", () => {
    const gaps = [{ step: 5, from_ns: 0, to_ns: 10_000_000, device: 0 }];
    const stretch = { from: 0, to: 9, moments: [], acts: [], gaps };
    const { beats } = pace(stretch, new Read(), ["sda"]);
    expect(beats).toHaveLength(1);
    expect(beats[0]?.wall_ms).toBeLessThanOrEqual(500);
    expect(beats[0]?.line).toEqual({ kind: "wait", words: "10\u202fms pass, waiting for sda" });
  });

  test("shows any number of repetitions in a few frames with a count", () => {
    const acts = Array.from({ length: 5000 }, (_, i) => ({ step: i + 1, task: 7, what: "faults" }));
    const { beats } = pace({ from: 0, to: 5000, moments: [], acts, gaps: [] }, new Read(), []);
    const times = beats.map(({ line }) => (line?.kind === "repeat" ? line.times : 0));
    expect(times[0]).toBe(1);
    expect(times.at(-1)).toBe(5000);
    expect(beats.reduce((sum, { wall_ms }) => sum + wall_ms, 0)).toBeLessThanOrEqual(4000);
  });

  test.each([1, 2, 3, 40, 1e6])(
    "orders the frames of %i repetitions and ends with the last",
    (count) => {
      const all = picks(count, 16);
      expect(all.at(-1)).toBe(count);
      expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    },
  );

  test("treats an event kind that was read often and returns soon as a loop", () => {
    const read = new Read();
    expect(read.isLoop(moment)).toBe(false);
    for (let i = 0; i < 12; i += 1) read.add(moment.kind, moment.step);
    expect(read.isLoop({ ...moment, step: moment.step + 10 })).toBe(true);
    expect(read.isLoop({ ...moment, step: moment.step + 1e6 })).toBe(false);
  });
});

test("describes events to a newcomer in order and explains each term once", () => {
  const sentences = new Set<MomentKind>();
  const words: string[] = [];
  for (const moment of moments(hog.records, hog.words)) {
    if (!isPlain(moment, sentences)) continue;
    words.push(plainly(moment, !sentences.has(moment.kind)) ?? "");
    sentences.add(moment.kind);
  }
  const place = (part: RegExp) => words.findIndex((sentence) => part.test(sentence));
  const order = [/low watermark/, /wakes kswapd/, /checks (each|it)/].map(place);
  expect(order).not.toContain(-1);
  expect([...order].sort((a, b) => a - b)).toEqual(order);
  expect(words.filter((sentence) => /kernel thread that frees memory/.test(sentence))).toHaveLength(
    1,
  );
});
