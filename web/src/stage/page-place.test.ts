// The places of pages in frames of the real engine, and whether reclaim reaches them in that order.

import { describe, expect, test } from "vitest";
import { LRU_LISTS } from "../draw/lru-lists";
import { loadEngine, measureNow, presetJson, TestBench } from "../engine/loaded.test-support";
import type { Goal } from "../engine/protocol";
import { type OnList, orderOf, type PagePlace, PagePlaces } from "./page-place";

/** A machine with the classic lists or with generations, once reclaim has begun. */
function benchOf(lists: "0" | "7", goal: Goal = { kind: "time", time_ns: 200_000_000 }): TestBench {
  const bench = new TestBench();
  bench.send({ kind: "open", json: textOf(lists), goal });
  return bench;
}

function textOf(lists: "0" | "7"): string {
  const preset = JSON.parse(presetJson("hot-set-and-stream.teach"));
  const tunables = { ...preset.tunables, "lru_gen.enabled": lists };
  return JSON.stringify({ ...preset, id: "", tunables });
}

const infoOf = (bench: TestBench) => {
  const opened = bench.events.find((event) => event.kind === "opened");
  if (opened?.kind !== "opened") throw new Error("nothing was opened");
  return opened.info;
};

/** All places of a machine's pages, by page frame number. */
function allPlaces(bench: TestBench): Map<number, PagePlace> {
  const places = new PagePlaces(infoOf(bench), bench.frame);
  const all = new Map<number, PagePlace>();
  for (const { ranges } of infoOf(bench).nodes) {
    for (const [first, pages] of ranges) {
      for (let pfn = first; pfn < first + pages; pfn += 1) all.set(pfn, places.of(pfn));
    }
  }
  return all;
}

describe.each([
  ["0", "list"],
  ["7", "generation"],
] as const)("lru_gen.enabled=%s", (lists, kind) => {
  const bench = benchOf(lists);
  const all = allPlaces(bench);

  test(`finds pages of each ${kind}, free pages and others`, () => {
    const kinds = new Set([...all.values()].map((place) => place.kind));
    expect(kinds).toContain(kind);
    expect(kinds).toContain("free");
    expect(kinds).not.toContain(kind === "list" ? "generation" : "list");
  });

  test("of two pages exactly one goes first, whichever is named first", () => {
    const placed = [...all.values()].filter((place) => place.kind === kind);
    let compared = 0;
    for (const [i, a] of placed.entries()) {
      const b = placed[(i * 7 + 1) % placed.length];
      if (!b || a === b) continue;
      const [there, back] = [orderOf(a, b), orderOf(b, a)];
      expect(back.reason).toBe(there.reason);
      const isSameList = ownerAndType(a) === ownerAndType(b);
      if (isSameList) expect(there.first).not.toBeNull();
      compared += Number(isSameList);
      const swapped = there.first === null ? null : there.first === "a" ? "b" : "a";
      expect(back.first).toBe(swapped);
    }
    expect(compared).toBeGreaterThan(0);
  });
});

/** Pages with the same owner and type are always ordered. */
function ownerAndType(place: PagePlace): string {
  if (place.kind === "list") return `${place.owner} ${(LRU_LISTS[place.row]?.list ?? 0) >= 2}`;
  return place.kind === "generation" ? `${place.owner} ${place.type === 1}` : "";
}

const at = (row: number, place: number): OnList => ({
  kind: "list",
  owner: "0",
  row,
  place,
  state: 4,
  protection: null,
  isReferenced: false,
  isFirstOut: false,
  isReread: false,
});

test("an inactive page goes before an active one of its type, and types are not compared", () => {
  expect(orderOf(at(0, 9), at(1, 0))).toEqual({ first: "a", reason: "inactive" });
  expect(orderOf(at(0, 9), at(0, 3))).toEqual({ first: "b", reason: "tail" });
  expect(orderOf(at(0, 0), at(2, 0))).toEqual({ first: null, reason: "types" });
});

test.each(["min", "low"] as const)(
  "a page of a cgroup below memory.%s goes after a page of its node that nothing protects",
  (reason) => {
    const protection = { group: "shop", file: `memory.${reason}`, usage: 10, pages: 20 } as const;
    const kept: PagePlace = { ...at(0, 0), owner: "0/shop", protection };
    expect(orderOf(kept, at(0, 30))).toEqual({ first: "b", reason });
    expect(orderOf(at(0, 30), kept)).toEqual({ first: "a", reason });
    const other = { ...at(0, 0), owner: "0/other" };
    expect(orderOf(other, at(0, 30))).toEqual({ first: null, reason: "owners" });
    expect(orderOf(kept, { ...other, protection }).reason).toBe("owners");
    expect(orderOf(kept, { ...at(0, 30), owner: "1" })).toEqual({ first: null, reason: "nodes" });
  },
);

test("a free page is not compared, and the order names it", () => {
  expect(orderOf({ kind: "free" }, at(0, 0))).toEqual({ first: null, reason: "free", free: "a" });
  expect(orderOf(at(0, 0), { kind: "free" })).toEqual({ first: null, reason: "free", free: "b" });
  expect(orderOf({ kind: "free" }, { kind: "free" }).reason).toBe("both-free");
});

test.each(["0", "7"] as const)(
  "lru_gen.enabled=%s: reclaim isolates pages in the order of their places",
  (lists) => {
    const experiment = textOf(lists);
    const moments = [{ kind: "counter", name: "pgscan_kswapd", reaches: 64 }] as const;
    const measured = measureNow(loadEngine(), 0, { experiment, moments });
    if (measured.kind === "refused") throw new Error("the engine refuses the experiment");
    const scanned = measured.snapshots[0]?.view.position.step ?? 0;
    const bench = benchOf(lists, { kind: "step", step: scanned });
    const held = () => bench.frame.view.batches.flatMap(({ pages }) => pages.map(([pfn]) => pfn));
    let step = scanned;
    const go = (by: number) => {
      step += by;
      bench.send({ kind: "go", goal: { kind: "step", step } });
    };
    while (held().length < 2) go(1);
    // Back to the moment before the first of these pages was isolated.
    let batch = held();
    while (held().length > 0) {
      if (held().length > batch.length) batch = held();
      go(-1);
    }
    const before = allPlaces(bench);
    const places = batch.flatMap((pfn) => before.get(pfn) ?? []);
    expect(places.length).toBeGreaterThan(1);
    for (const [i, place] of places.entries()) {
      for (const later of places.slice(i + 1)) expect(orderOf(place, later).first).toBe("a");
    }
  },
);
