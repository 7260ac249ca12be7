import { describe, expect, test } from "vitest";
import {
  activeShare,
  HAND_ROW,
  handFrom,
  handToken,
  LRU_LISTS,
  lruLayout,
  lruPage,
  NO_LRU_PAGES,
  pagePlace,
  paintLruRows,
  readHand,
  readLruPages,
  SLOTS,
  slotAt,
  slotPlace,
  stillEmpty,
  stripBin,
  stripPlace,
} from "./lru-lists";
import { dirtyScale, ownerWords, shareWords, stretches, waitLeft } from "./reclaim";

/** The engine's array: lists of one owner, each a row of [pfn, word]. */
const words = (...lists: [number, number][][]) =>
  new Uint32Array(lists.flatMap((list) => [list.length, ...list.flat()]));
const inactiveFile = 4;
const dirty = 5;

describe("lists without pages", () => {
  test("share one line above the isolated pages", () => {
    const all = lruLayout(370, false);
    expect([all.lines, all.folded_line, all.height]).toEqual([[0, 1, 2, 3, 4], null, 80]);
    const some = lruLayout(370, false, [false, true, false, true]);
    expect([some.lines, some.folded_line, some.height]).toEqual([[0, null, 1, null, 3], 2, 64]);
    const none = lruLayout(370, false, [true, true, true, true]);
    expect([none.lines, none.folded_line, none.height]).toEqual([
      [null, null, null, null, 1],
      0,
      32,
    ]);
    // A point in the shared line hits no page.
    const { x, y } = slotPlace(some, 1, 3);
    expect(slotAt(some, x + 1, y + 1)).toBeNull();
    const third = slotPlace(some, 2, 3);
    expect(slotAt(some, third.x + 1, third.y + 1)).toEqual({ row: 2, place: 3 });
  });

  test("get a separate line when their first page arrives and keep it", () => {
    // In the engine's order: inactive anon, active anon, inactive file, active file.
    const start = stillEmpty([], [{ lists: [0, 0, 0, 0] }, { lists: [0, 0, 0, 0] }]);
    expect(start).toEqual([true, true, true, true]);
    const later = stillEmpty(start, [{ lists: [0, 0, 0, 0] }, { lists: [0, 0, 3, 0] }]);
    expect(later).toEqual([false, true, true, true]);
    expect(stillEmpty(later, [{ lists: [0, 0, 0, 0] }])).toBe(later);
  });
});

describe("reading the lists of the engine", () => {
  test("reads lists by owner and list, tail first, with flags", () => {
    const one = words([[7, 2 | 0x100]], [], [[9, dirty | 0x200]], []);
    const owners = readLruPages(new Uint32Array([...one, ...one]));
    expect(owners.map((lists) => lists.map(({ sent }) => sent))).toEqual([
      [1, 0, 1, 0],
      [1, 0, 1, 0],
    ]);
    const page = owners[1]?.[0] && lruPage(owners[1][0], 0);
    expect(page).toEqual({
      pfn: 7,
      state: 2,
      isReferenced: true,
      isReread: false,
      isFirstOut: false,
    });
    expect(owners[0]?.[2] && lruPage(owners[0][2], 0)).toMatchObject({
      state: dirty,
      isFirstOut: true,
    });
    expect(lruPage(NO_LRU_PAGES, 0)).toBeNull();
  });

  test("gives each list a unique name", () => {
    expect(LRU_LISTS.map(({ list }) => list).sort()).toEqual([0, 1, 2, 3]);
  });
});

describe("a list strip", () => {
  test.each([244, 286, 306, 358, 370, 900])("fits %i px with its tail at the right", (width) => {
    const layout = lruLayout(width, width === 244 || width === 358);
    const tail = slotPlace(layout, 0, 0);
    const first = slotPlace(layout, 0, SLOTS - 1);
    expect(tail.x).toBeGreaterThan(first.x);
    expect(tail.x + layout.tile_px).toBeLessThanOrEqual(width);
    expect(first.x).toBeGreaterThanOrEqual(0);
    const { x } = stripPlace(layout, 1000, 1000);
    expect(x).toBeGreaterThanOrEqual(0);
  });

  test("has a slot under each of its tiles and none beside them", () => {
    const layout = lruLayout(370, false);
    for (const row of [0, HAND_ROW]) {
      for (const place of [0, 7, SLOTS - 1]) {
        const { x, y } = slotPlace(layout, row, place);
        expect(slotAt(layout, x + 3, y + 5)).toEqual({ row, place });
      }
    }
    expect(slotAt(layout, 2, 5)).toBeNull();
    expect(slotAt(layout, 300, layout.height + 1)).toBeNull();
  });

  test("has a length in proportion to its list, relative to the longest", () => {
    const layout = lruLayout(370, false);
    const width = (pages: number) => stripPlace(layout, pages, 1032).width;
    expect(width(SLOTS)).toBe(0);
    expect(width(532)).toBeCloseTo(layout.strip_px / 2);
    expect(width(1032)).toBe(layout.strip_px);
    const head = pagePlace(layout, 0, 1031, 1032, 1032);
    const older = pagePlace(layout, 0, 500, 1032, 1032);
    expect(head.x).toBeLessThan(older.x);
    expect(older.x).toBeLessThan(pagePlace(layout, 0, 3, 1032, 1032).x);
  });

  test("shows in each bin the states of that part of the list", () => {
    const pages = Array.from({ length: SLOTS + 20 }, (_, place): [number, number] => [
      place,
      place < SLOTS + 10 ? inactiveFile : dirty,
    ]);
    const list = readLruPages(words([], [], pages, []))[0]?.[2] ?? NO_LRU_PAGES;
    // The head, on the left, contains the last ten pages sent.
    expect(stripBin(list, 0, 2)[dirty]).toBeCloseTo(1);
    expect(stripBin(list, 1, 2)[inactiveFile]).toBeCloseTo(1);
  });

  test("paints a tile for each page, with a corner if referenced and a dashed outline if freed", () => {
    const log: string[] = [];
    // Records the painter's calls; a canvas has a hundred members more.
    const g = new Proxy<Record<string, unknown>>(
      {},
      { get: (t, name) => t[String(name)] ?? (() => log.push(String(name))) },
    ) as unknown as CanvasRenderingContext2D;
    const paint = (word: number, fate: number) => {
      log.length = 0;
      const list = readLruPages(words([], [], [[1, word]], []))[0]?.[2] ?? NO_LRU_PAGES;
      const rows = [{ list, pages: 1, token: "file-inactive" }];
      const hand = readHand([[2, fate | (inactiveFile << 8)]]);
      paintLruRows(g, lruLayout(370, false), rows, hand, {});
      return log.filter((name) => name === "fillRect" || name === "strokeRect");
    };
    expect(paint(inactiveFile, 0)).toEqual([]);
    expect(paint(inactiveFile | 0x100, 0)).toEqual(["fillRect"]);
    expect(paint(inactiveFile, 2)).toEqual(["strokeRect"]);
  });

  test("paints a page yellow until its outcome is known", () => {
    const look = (fate: number) => handToken({ pfn: 1, fate, state: dirty });
    expect([0, 1, 2, 3].map(look)).toEqual(["isolated", "isolated", "freed", "dirty"]);
  });

  test("shows the part of a long batch that is being checked", () => {
    const batch = (judged: number, pages: number) =>
      readHand(Array.from({ length: pages }, (_, i) => [i, i < judged ? 2 : 0] as const));
    expect(handFrom(batch(0, 32))).toBe(0);
    expect(handFrom(batch(32, 32))).toBe(0);
    expect(handFrom(batch(31, 8191))).toBe(0);
    expect(handFrom(batch(4000, 8191))).toBe(4000);
    expect(handFrom(batch(4031, 8191))).toBe(4000);
    expect(handFrom(batch(8191, 8191))).toBe(8160);
    expect(handFrom([])).toBe(0);
  });

  test("gives the number of active pages per inactive page", () => {
    expect([activeShare(10, 25), activeShare(0, 3), activeShare(0, 0)]).toEqual(["2.5", "∞", null]);
  });
});

describe("reclaim in words and lengths", () => {
  test("a priority is a share of each list", () => {
    expect([12, 9, 0].map(shareWords)).toEqual([
      "1/4,096 of each list",
      "1/512 of each list",
      "all of each list",
    ]);
  });

  test("the owners of lists are zones or nodes", () => {
    expect([ownerWords("0/DMA32"), ownerWords("1")]).toEqual(["DMA32 on node 0", "node 1"]);
  });

  test("amounts are placed end to end and never exceed the bar", () => {
    expect(stretches([10, 30, 100], 80)).toEqual([
      { from: 0, to: 0.125 },
      { from: 0.125, to: 0.5 },
      { from: 0.5, to: 1 },
    ]);
    expect(dirtyScale(10, 0, 100)).toBe(125);
    expect(dirtyScale(200, 100, 100)).toBeGreaterThan(300);
  });

  test("the remaining time of a wait falls to 0", () => {
    expect([0, 50, 100, 120].map((now) => waitLeft(now, 0, 100))).toEqual([1, 0.5, 0, 0]);
    expect(waitLeft(0, null, 100)).toBeNull();
  });
});
