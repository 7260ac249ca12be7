import { describe, expect, test } from "vitest";
import type { LruPages } from "../lru-lists";
import { ordinal, type PageData, pageStory } from "./pagestory";
import { countStates, FLAGS, type Flag, flagsOf, glyphOf, KIND, wordBlock } from "./pageword";

const word = (state: number, kind: number, order: number, ...flags: Flag[]) =>
  FLAGS.filter(([, name]) => flags.includes(name)).reduce(
    (sum, [bit]) => sum + 2 ** bit,
    state + kind * 16 + (order + 1) * 256,
  );

const listOf = (...pfns: number[]): LruPages => ({
  words: Uint32Array.from(pfns.flatMap((pfn) => [pfn, 4])),
  at: 0,
  sent: pfns.length,
});
const none = listOf();

const tell = (words: number[], index: number, more: Partial<PageData> = {}) =>
  Object.fromEntries(
    pageStory({
      words: Uint32Array.from(words),
      first_pfn: 0x1000,
      pfn: 0x1000 + index,
      page_bytes: 4096,
      owner: { key: "0", pages: [0, 0, 3, 0], lists: [none, none, listOf(0x1003, 0x1000), none] },
      generation: null,
      type: "movable",
      ...more,
    }),
  );

const file = (...flags: Flag[]) => word(4, KIND.file, 0, "PG_lru", ...flags);

describe("the story of a page", () => {
  test("gives its position on its list from the tail", () => {
    expect(tell([file()], 0).list).toBe("inactive file of node 0, 2nd from the tail of 3");
    expect(tell([0, 0, 0, file()], 3).list).toMatch(/^inactive file of node 0, at the tail/);
    expect(tell([0, file()], 1).list).toBe("inactive file of node 0, not among the 2 oldest of 3");
    expect(tell([word(0, KIND.free, 0)], 0).list).toBeUndefined();
  });

  test("describes how a page ages: first touch, second touch, second chance", () => {
    expect(tell([file()], 0).next).toMatch(/first access marks it referenced, a second activates/);
    expect(tell([file("PG_referenced")], 0).next).toMatch(/next access activates/);
    expect(tell([file("PG_referenced")], 0).now).toBe("inactive file, referenced");
    for (const flags of [[], ["PG_referenced"]] as const) {
      const active = word(3, KIND.file, 0, "PG_lru", "PG_active", ...flags);
      expect(tell([active], 0).next).toBe(
        "when the active list shrinks, reclaim deactivates its pages from the tail, even if they were accessed",
      );
    }
    const leaving = word(6, KIND.file, 0, "PG_writeback", "PG_reclaim");
    expect(tell([leaving], 0).next).toMatch(/is freed first/);
  });

  test("finds its block even if the head of the block lies before the known frames", () => {
    const four = [word(0, KIND.free, 2), 48, 48, 48, file()];
    expect(tell(four, 2).block).toMatch(/^order 2 \(16\u202fKiB\), from 0x1000; .* movable$/);
    expect(tell(four, 4).block).toMatch(/^order 0, a single page/);
    expect(tell([48, 48], 1).block).toMatch(/larger than its pageblock/);
  });
});

test("parses the words that the engine writes", () => {
  const locked = file("PG_mlocked", "PG_referenced", "isolated");
  expect(flagsOf(locked)).toEqual(["PG_lru", "PG_referenced", "PG_mlocked", "isolated"]);
  expect(glyphOf(locked)).toBe("lock");
  expect(glyphOf(file("PG_referenced"))).toBe("used");
  expect(glyphOf(file())).toBeNull();
  const words = Uint32Array.from([word(0, KIND.free, 1), 48, file(), 11]);
  expect(wordBlock(words, 1)).toEqual({ head: 0, pages: 2 });
  expect(wordBlock(words, 2)).toEqual({ head: 2, pages: 1 });
  // The last frame has no memory.
  expect(countStates(words, 12)).toEqual([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
});

test("formats ordinals as 1st, 2nd, 3rd, 4th and 11th", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 1013].map(ordinal)).toEqual(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 1,013th".split(" "),
  );
});
