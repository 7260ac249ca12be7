// The details of zoomed maps in a frame, compared with what the maps show.

import { expect, test } from "vitest";
import { TestBench } from "../../engine/loaded.test-support";
import { STATES } from "../states";
import { cellLayout, cellShares } from "./cellmap";
import { countStates, wordOrder, wordState, wordType } from "./pageword";
import { cellRuns } from "./runs";

const zoomedOf = (bench: TestBench) => bench.frame.zoomed;

test("the words of the pages of a small machine agree with the states and orders of the map", () => {
  const bench = new TestBench();
  bench.openPreset("anon-hog.teach");
  bench.send({ kind: "go", goal: { kind: "step", step: 60_000 } });
  const [node] =
    bench.events.flatMap((event) => (event.kind === "opened" ? [event.info] : []))[0]?.nodes ?? [];
  const [first_pfn, count] = node?.ranges[0] ?? [0, 0];
  const look = { node: 0, level: "block", first_pfn, count, stride: 1, span: null } as const;
  bench.send({ kind: "zoom", zooms: [look] });
  const [zoomed] = zoomedOf(bench);
  const [map] = bench.frame.maps;
  if (map?.kind !== "frames" || !zoomed) throw new Error("no pages were sent");
  const words = Array.from(zoomed.words);
  expect(words.map(wordState)).toEqual(Array.from(map.states.slice(0, count), (byte) => byte & 15));
  expect(words.map((word) => wordOrder(word) + 1)).toEqual(Array.from(map.orders.slice(0, count)));
  // A later frame has them too.
  bench.send({ kind: "go", goal: { kind: "step", step: 61_000 } });
  expect(zoomedOf(bench)[0]?.words.length).toBe(count);
  bench.openPreset("first-touch.teach");
  expect(zoomedOf(bench)).toEqual([]);
});

test("counts each frame of a large machine once in aligned cells", () => {
  const bench = new TestBench();
  const span = 1024;
  bench.send({ kind: "cells", span });
  bench.openPreset("first-touch");
  const opened = bench.events.find((event) => event.kind === "opened");
  const nodes = opened?.kind === "opened" ? opened.info.nodes : [];
  for (const [i, { id, ranges }] of nodes.entries()) {
    const map = bench.frame.maps[i];
    if (map?.kind !== "cells") throw new Error("a big machine has cells");
    const zones = bench.frame.view.zones.filter(({ node }) => node === id);
    const cells = cellLayout({ ranges, zones }, map.span, 64, 8).pfns.length;
    expect(map.span).toBe(span);
    expect(map.shares.length).toBe(cells * 12);
    const frames = ranges.reduce((sum, [, pages]) => sum + pages, 0);
    const counted = map.shares.reduce((sum, share) => sum + (share * span) / 65535, 0);
    // The count of each state in a cell is rounded down by at most one frame.
    expect(Math.abs(frames - counted)).toBeLessThan(cells);
  }
});

test("the pages of a pageblock agree with the contents of its cell", () => {
  const bench = new TestBench();
  bench.openPreset("first-touch.4g");
  bench.send({ kind: "go", goal: { kind: "step", step: 700_000 } });
  const zones = bench.frame.view.zones.filter(({ node }) => node === 0);
  const info = bench.events.flatMap((event) => (event.kind === "opened" ? [event.info] : []))[0];
  const ranges = info?.nodes[0]?.ranges ?? [];
  const { pfns } = cellLayout({ ranges, zones }, 512, 64, 8);
  const mixed = {
    node: 0,
    level: "zone",
    first_pfn: 256,
    count: 1024,
    stride: 512,
    span: 512,
  } as const;
  bench.send({ kind: "zoom", zooms: [mixed] });
  const shares = zoomedOf(bench)[0]?.shares ?? new Uint16Array();
  const types = Array.from(zoomedOf(bench)[0]?.words ?? [], wordType);
  expect(shares.length).toBe(pfns.length * STATES.length);
  // Free blocks add up to the free pages of a cell, except those on per-cpu lists.
  const runs = zoomedOf(bench)[0]?.runs ?? new Uint16Array();
  expect(runs.length).toBe(pfns.length * 13);
  let onLists = 0;
  for (const cell of pfns.keys()) {
    const free = cellRuns(runs, cell).reduce((sum, blocks, order) => sum + blocks * 2 ** order, 0);
    const share = cellShares(shares, cell)[0] ?? 0;
    expect(free).toBeLessThanOrEqual(Math.round(share * 512));
    onLists += free;
  }
  expect(onLists).toBe(zones.reduce((sum, zone) => sum + zone.free, 0));
  const held = zones[0]?.blocks ?? [];
  // A block whose first page does not exist is not counted, as in /proc/pagetypeinfo.
  const here = pfns.filter((pfn) => pfn >= 512 && pfn < (zones[0]?.spanned ?? 0));
  held.forEach((blocks, type) => {
    expect(here.filter((pfn) => types[pfn / 512] === type).length, `type ${type}`).toBe(blocks);
  });
  for (let cell = 0; cell < pfns.length; cell += 37) {
    const first_pfn = pfns[cell] ?? 0;
    const block = {
      node: 0,
      level: "block",
      first_pfn,
      count: 512,
      stride: 1,
      span: null,
    } as const;
    bench.send({ kind: "zoom", zooms: [block] });
    const counted = countStates(zoomedOf(bench)[0]?.words ?? new Uint32Array(), STATES.length);
    const rounded = Array.from(shares.slice(cell * 12, cell * 12 + 12), (share) =>
      Math.round((share / 65535) * 512),
    );
    expect(counted, `cell ${cell}`).toEqual(rounded);
  }
});
