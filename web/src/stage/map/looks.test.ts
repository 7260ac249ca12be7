// What a zoomed map shows when the engine's looks come late or in another order: what was asked last,
// or what was there, and each told as what it is.

import { expect, test } from "vitest";
import type { MapZoom } from "../../app/store";
import type { Frame, Zoomed } from "../../engine/protocol";
import type { Info, NodeInfo } from "../../engine/types";
import { lookAt, shownZoom } from "./looks";

const info = { pageblock_order: 9, teaching: false } as Info;
const node = { id: 0, ranges: [[0, 4096]] } as unknown as NodeInfo;
const map = { kind: "cells", span: 1024 } as Frame["maps"][number];

const block = (pfn: number): MapZoom => ({ level: "block", pfn });
/** What the engine answers to a look at a zoom. */
const answer = (zoom: MapZoom): Zoomed => {
  const look = lookAt(info, node, zoom, map);
  const shares = look.span === null ? null : new Uint16Array();
  return { ...look, words: new Uint32Array(look.count), shares, runs: null };
};
const shown = (looks: readonly Zoomed[], wanted?: MapZoom) =>
  shownZoom({ info, node, map, looks }, wanted);

test("a block is shown once the engine has looked at it; until then what was there stays", () => {
  const [first, second] = [block(512), block(1536)];
  expect(shown([answer(first)], first)).toEqual({ zoom: first, zoomed: answer(first) });
  // The second is asked for, and a frame with the look at the first comes after that.
  expect(shown([answer(first)], second)).toEqual({ zoom: first, zoomed: answer(first) });
  expect(shown([answer(second)], second).zoom).toEqual(second);
  // The look at the first comes once more, late: it is not told as the second.
  expect(shown([answer(first)], second).zoom).toEqual(first);
});

test("a level out, a look at the block is not taken for the zone's, nor the other way", () => {
  const zone: MapZoom = { level: "zone", pfn: 700 };
  expect(shown([answer(block(512))], zone).zoom).toEqual(block(512));
  expect(shown([answer(zone)], zone).zoom).toEqual(zone);
  expect(shown([answer(zone)], block(512)).zoom).toEqual({ level: "zone", pfn: 512 });
});

test("whoever has gone out sees all of the node, whatever still comes", () => {
  const nothing = { zoom: null, zoomed: null };
  expect(shown([answer(block(512))], undefined)).toEqual(nothing);
  expect(shown([], block(512))).toEqual(nothing);
  const other = { ...answer(block(512)), node: 1 };
  expect(shown([other], block(512))).toEqual(nothing);
});
