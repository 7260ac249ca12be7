// The table of who decides what, held against runs.

import { expect, test } from "vitest";
import {
  catalog,
  loadEngine,
  openText,
  parts,
  presetJson,
  viewNow,
} from "../engine/loaded.test-support";
import { DECISION, LOG_ROW, NO_EVENT, NOTHING } from "../engine/log";
import type { Tree } from "../experiment/forms/tree";
import { decidedIn, isDecidedLit } from "./decided-in";

const engine = loadEngine();
const stepNow = () => viewNow(engine).position.step;

/** Stands at a step. */
function goTo(step: number): void {
  engine.seek(0, step);
  while (stepNow() !== step) engine.seek_more(0, 1 << 20);
}

/** Steps that are looked at in one piece, and those between two pieces. */
const LOOKED_STEPS = 30_000;
const SKIPPED_STEPS = 60_000;

interface Decided {
  readonly name: string;
  /** The step behind it, and the task that made it. */
  readonly step: number;
  readonly task: number;
}

/** The decisions between two steps, each kind a few times. */
function decisionsOf(from: number, to: number, most: number): Decided[] {
  engine.log(0, from, to, Uint8Array.of(NO_EVENT), true, NOTHING, NOTHING, 0, NOTHING);
  const found = new Map<number, Decided[]>();
  for (;;) {
    const [, done, ...rows] = engine.log_more(1 << 15);
    for (let i = 0; i < rows.length; i += LOG_ROW) {
      const [step = 0, , task = 0, , kind = 0] = rows.slice(i, i + LOG_ROW);
      const same = found.get(kind) ?? [];
      const name = catalog.decisions[kind - DECISION]?.name ?? "";
      if (same.length < most) found.set(kind, [...same, { name, step, task }]);
    }
    if (done === 1) return [...found.values()].flat();
  }
}

/** Runs on and tells in which functions each decision was made. */
function made(json: string, stretches: number): Map<string, Set<string>> {
  expect(openText(engine, 0, json).kind).toBe("checked");
  const functions = new Map<string, Set<string>>();
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = stepNow();
    engine.run(0, LOOKED_STEPS, undefined, undefined);
    const to = stepNow();
    for (const { name, step, task } of decisionsOf(from, to, 3)) {
      goTo(step - 1);
      // Before the step the task stands in the function that makes it; out of all, it is its program.
      const inside = viewNow(engine).tasks.find(({ id }) => id === task)?.function || "user mode";
      functions.set(name, (functions.get(name) ?? new Set()).add(inside));
    }
    goTo(to);
    engine.run(0, SKIPPED_STEPS, undefined, undefined);
  }
  return functions;
}

/** A ready-made experiment under a kernel, on its machine with some of it changed. */
function under(id: string, kernel: string, machine: Tree = {}, tunables: Tree = {}): string {
  const preset = JSON.parse(presetJson(id)) as Tree;
  const usual = parts.machines.find((one) => one.id === preset.machine);
  return JSON.stringify({ ...preset, kernel, tunables, machine: { ...usual, ...machine } });
}

/** Lists of free pages for each CPU, and huge pages: what the teaching machines have not. */
const FULL = { pcp: true, thp: "always" };
/** Where who needs more than there is must kill. */
const NO_SWAP = {
  ...FULL,
  devices: [{ id: "sda", model: "disk_2010", files: true, swap: 0 }],
};
const ZONE_RECLAIM = { "vm.zone_reclaim_mode": "7" };
const HUGE = { transparent_hugepage: "always" };
const seen = new Set<string>();

test.each([
  ["first-touch.teach", "2.6.37", {}, {}],
  ["first-touch.teach", "5.10", FULL, HUGE],
  ["first-touch", "6.1", FULL, HUGE],
  ["run-out.teach", "3.0", {}, ZONE_RECLAIM],
  ["run-out.teach", "3.16", FULL, {}],
  ["run-out.teach", "6.1", NO_SWAP, HUGE],
  ["streaming-reader.teach", "3.0", {}, {}],
  ["anon-hog.teach", "3.0", NO_SWAP, {}],
  ["anon-hog.teach", "3.16", {}, {}],
  ["anon-hog.teach", "6.1", {}, HUGE],
  ["anon-hog.teach", "6.1", NO_SWAP, {}],
  ["dirty-writer.teach", "3.0", {}, {}],
  ["dirty-writer.teach", "6.1", FULL, {}],
  ["fsmark.teach", "3.1", {}, ZONE_RECLAIM],
  ["fsmark.teach", "zlcreconsider", {}, ZONE_RECLAIM],
  ["streaming-mapped-writer.teach", "3.16", {}, {}],
  ["mixed-types.teach", "5.10", FULL, {}],
] as const)(
  "in %s under %s decisions are made where the table says",
  (id, kernel, machine, set) => {
    for (const [name, functions] of made(under(id, kernel, machine, set), 8)) {
      expect(decidedIn(name), name).toEqual(expect.arrayContaining([...functions]));
      seen.add(name);
    }
  },
  30_000,
);

test("that was most of the decisions there are", () => {
  expect(seen.size).toBeGreaterThan(150);
});

test("every decision is made in a function of the engine's", () => {
  const functions = catalog.functions.map(({ name }) => name);
  for (const { name } of catalog.decisions) {
    expect(decidedIn(name).length, name).toBeGreaterThan(0);
    expect(functions).toEqual(expect.arrayContaining([...decidedIn(name)]));
  }
});

test("a decision is lit by its function, selected or pointed at, and by no other", () => {
  const lit = (selected: `fn ${string}`[], hovered: `fn ${string}` | null = null) =>
    isDecidedLit("Priority", { selected, hovered });
  expect(lit(["fn try_to_free_pages"])).toBe(true);
  expect(lit(["fn rmqueue"], "fn balance_pgdat (zones)")).toBe(true);
  expect(lit(["fn rmqueue"], "fn balance_pgdat")).toBe(false);
  expect(isDecidedLit("Priority", { selected: ["task 1"], hovered: "zone 0/DMA" })).toBe(false);
});
