// Texts about pageblocks: their number, their scale, and the run that compacts them.

import { expect, test } from "vitest";
import { STATES } from "../draw/states";
import type { StripCell } from "../draw/strip";
import type { CompactRunView, Info, PageblocksView } from "../engine/types";
import {
  absentWords,
  blocksWords,
  deferWords,
  doingWords,
  passedWords,
  runWords,
  shortBlocksWords,
} from "./pageblock-words";

const info = (of: Partial<Info>) =>
  ({
    page_size: 4096,
    pageblock_order: 9,
    migratetypes: ["Unmovable", "Movable", "Reclaimable", "Reserve"],
    compaction: "here",
    ...of,
  }) as Info;

const column = (types: readonly number[]): StripCell => ({
  pfn: 0,
  span: 512,
  types,
  pages: [512],
  states: null,
  isGiven: false,
});

const RUN: CompactRunView = {
  task: 1,
  by: "request",
  order: 9,
  sync: false,
  movable_only: true,
  migrate_pfn: 0,
  free_pfn: 0,
  hint: null,
  until: null,
  isolated: 3,
  targets: 2,
  moved: { from: 16, to: 64, done: false },
  passed: [{ pfn: 1025, next: 2048, migratetype: 0, target: false }],
  end: null,
};

test("compares a block of 16 MiB with 2 MiB and says how many blocks a column represents", () => {
  const one = [column([0, 1, 0, 0]), column([1, 0, 0, 0])];
  expect(blocksWords(one, info({}))).toBe("2 blocks of 2\u202fMiB");
  expect(blocksWords(one, info({ pageblock_order: 12 }))).toBe(
    "2 blocks of 16\u202fMiB, each as large as 8 blocks of 2\u202fMiB",
  );
  const many = [column([0, 4, 0, 0]), column([1, 3, 0, 0])];
  expect(blocksWords(many, info({}))).toBe("8 blocks of 2\u202fMiB, 4 per column");
});

test("says for whom a run compacts, how, and how it ended", () => {
  expect(runWords(RUN, info({}))).toBe(
    "compacts for order 9 (2\u202fMiB), for its own request; asynchronous, movable blocks only.",
  );
  expect(doingWords(RUN)).toBe("3 isolated, 2 free targets; moving 0x10 to 0x40.");
  // In the middle of a block the scanner skips the next one, too.
  expect(passedWords(RUN, info({}))).toBe(
    "The scanner skips block 2, which is unmovable, and continues at block 4.",
  );
  const ended = { ...RUN, by: null, order: null, end: "met", until: 1024 } as const;
  expect(runWords(ended, info({}))).toBe(
    "compacted the whole zone; asynchronous, movable blocks only, up to hint block 2.",
  );
  expect(doingWords(ended)).toMatch(/^The scanners met: the whole zone was scanned\./);
});

test("says that compaction of a zone is deferred only while the next request skips it", () => {
  const zone = (considered: number, defer_limit: number) =>
    deferWords({ considered, defer_limit } as PageblocksView);
  expect(zone(0, 1)).toBeNull();
  expect(zone(0, 4)).toBe("Deferred after a failure: the kernel has skipped 0 of 4 attempts.");
  expect(zone(3, 4)).toBeNull();
});

test("says why a kernel does not compact", () => {
  expect(absentWords(info({}))).toBeNull();
  expect(absentWords(info({ compaction: "not_built" }))).toContain("built without it");
  expect(absentWords(info({ compaction: "not_modelled" }))).toContain("not modelled");
});

test("uses fewer words where there is little room", () => {
  const cell = (of: Partial<StripCell>): StripCell => ({
    pfn: 0,
    span: 2,
    types: [0, 1],
    pages: STATES.map(({ token }) => (token === "free" ? 2 : 0)),
    states: new Uint8Array(2),
    isGiven: false,
    ...of,
  });
  const slab = STATES.map(({ token }) => (token === "slab" || token === "free" ? 1 : 0));
  const cells = [cell({}), cell({ isGiven: true, pages: slab }), cell({ pages: slab })];
  const machine = info({ pageblock_order: 1 });
  expect(shortBlocksWords(cells, machine)).toBe("1 of 3 free, 1 allocated, 1 with unmovable");
  // The shares alone do not determine it.
  const shares = [cell({ states: null })];
  expect(shortBlocksWords(shares, machine)).toBe(blocksWords(shares, machine));
});
