// A zoomed map shows the answer to the last request, or keeps the previous answer, even if the engine's
// answers are late or out of order.

import { expect, test } from "vitest";
import type { MapZoom } from "../../app/store";
import type { Frame, Zoomed } from "../../engine/protocol";
import type { Info, NodeInfo } from "../../engine/types";
import { currentZoom, zoomRequest } from "./zoom-requests";

const info = { pageblock_order: 9, teaching: false } as Info;
const node = { id: 0, ranges: [[0, 4096]] } as unknown as NodeInfo;
const map = { kind: "cells", span: 1024 } as Frame["maps"][number];

const block = (pfn: number): MapZoom => ({ level: "block", pfn });
/** The engine's answer for a zoom. */
const answer = (zoom: MapZoom): Zoomed => {
  const look = zoomRequest(info, node, zoom, map);
  const shares = look.span === null ? null : new Uint16Array();
  return { ...look, words: new Uint32Array(look.count), shares, runs: null };
};
const zoomOf = (zoomed: readonly Zoomed[], zoom?: MapZoom) =>
  currentZoom({ info, node, map, zoomed }, zoom);

test("shows the earlier block until the engine answers the request for the next one", () => {
  const [first, second] = [block(512), block(1536)];
  expect(zoomOf([answer(first)], first)).toEqual({ zoom: first, zoomed: answer(first) });
  // After the second request a frame with the first answer arrives.
  expect(zoomOf([answer(first)], second)).toEqual({ zoom: first, zoomed: answer(first) });
  expect(zoomOf([answer(second)], second).zoom).toEqual(second);
  // The first answer arrives once more, late: it does not count as the second.
  expect(zoomOf([answer(first)], second).zoom).toEqual(first);
});

test("keeps answers for a block separate from answers for the zone", () => {
  const zone: MapZoom = { level: "zone", pfn: 700 };
  expect(zoomOf([answer(block(512))], zone).zoom).toEqual(block(512));
  expect(zoomOf([answer(zone)], zone).zoom).toEqual(zone);
  expect(zoomOf([answer(zone)], block(512)).zoom).toEqual({ level: "zone", pfn: 512 });
});

test("after zooming out to the node, late answers are ignored", () => {
  const nothing = { zoom: null, zoomed: null };
  expect(zoomOf([answer(block(512))], undefined)).toEqual(nothing);
  expect(zoomOf([], block(512))).toEqual(nothing);
  const other = { ...answer(block(512)), node: 1 };
  expect(zoomOf([other], block(512))).toEqual(nothing);
});
