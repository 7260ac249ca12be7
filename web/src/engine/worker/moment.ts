// Finds the moment that a newcomer should see first: a zone has just failed a watermark check.

import type { Engine } from "../pkg/mmscope";
import { type Kinds, passedMark } from "../record";
import { readSeries, rowFree, rowStep } from "../rows";
import type { Recorded, ZoneView } from "../types";

/** Steps examined one by one around the moment at which a zone falls to its low watermark. */
const LOOK_AROUND_STEPS = 4000;
/** kswapd refills a zone soon after a failed check, and the check of 3.0 already fails two pages
    above the watermark. */
const SHORTLY_PAGES = 4;
/** Steps examined around the high watermark. */
const LARGE_BLOCK_STEPS = 400;
/**
 * In a long run the rows of the timeline are far apart, so the search uses strides between two
 * rows.
 */
const STRIDES = [4096, 256, 32] as const;

/**
 * Moves the engine to the first step at which a zone failed its watermark check, or to the middle
 * of the run if no zone comes under pressure. The search needs the run's timeline, so run the
 * experiment first.
 */
export function findFirstRefusal(engine: Engine, slot: number, kinds: Kinds): void {
  const lookAround = (steps: number, isCalm: boolean) =>
    stepsToMark(engine, slot, kinds, steps, isCalm);
  const { zones } = engine.view(slot, undefined);
  const series = readSeries(engine.samples(slot, new Uint32Array()), zones.length);
  const count = series.length;
  const free = (row: number, zone: number) => rowFree(series, row, zone);
  // kswapd may refill a zone between two rows, so a zone on its way down to the watermark counts.
  const soon = (row: number, zone: number) =>
    2 * free(row, zone) - free(Math.max(0, row - 1), zone);
  const falls = (row: number) =>
    zones.some(
      ({ low }, zone) =>
        free(0, zone) > low && Math.min(free(row, zone), soon(row, zone)) <= low + 1,
    );
  let row = 0;
  while (row < count && !falls(row)) row += 1;
  const isCalm = row >= count;
  const before = isCalm ? Math.floor(count / 2) : Math.max(0, row - 1);
  seekTo(engine, slot, rowStep(series, before));
  if (isCalm) return void lookAround(LOOK_AROUND_STEPS, true);
  const until = rowStep(series, count - 1);
  const isAbove = zones.map((zone, i) => free(0, i) > worst(zone, "high"));
  const isDown = (mark: "low" | "high") => (view: Recorded) =>
    view.zones.some((zone, i) => isAbove[i] === true && zone.free <= worst(zone, mark));
  // Requests for large blocks fail earlier than requests for small ones.
  approach(engine, slot, until, isDown("high"));
  if (lookAround(LARGE_BLOCK_STEPS, false)) return;
  approach(engine, slot, until, isDown("low"));
  lookAround(LOOK_AROUND_STEPS, false);
}

/** Steps to the next comparison worth showing; returns whether there was one. */
function stepsToMark(
  engine: Engine,
  slot: number,
  kinds: Kinds,
  steps: number,
  isCalm: boolean,
): boolean {
  for (let i = 0; i < steps; i += 1) {
    const { position } = engine.step(slot, "any", undefined, 1);
    const { why, route } = engine.view(slot, undefined);
    const passed = why && passedMark(kinds, why);
    if (passed !== null && (isCalm || !passed) && route) return true;
    if (position.ended) break;
  }
  return false;
}

/** A watermark plus the largest reserve of the zone, plus a few pages. */
const worst = (zone: ZoneView, mark: "low" | "high") =>
  zone[mark] + Math.max(0, ...zone.protection) + SHORTLY_PAGES;

/** Stops shortly before an event; stays at the present step if the event does not happen. */
function approach(
  engine: Engine,
  slot: number,
  until_step: number,
  happens: (view: Recorded) => boolean,
): void {
  let before = engine.view(slot, undefined).position.step;
  for (const stride of STRIDES) {
    const from = before;
    let { step } = engine.view(slot, undefined).position;
    while (step < until_step && !happens(engine.view(slot, undefined))) {
      before = step;
      step = engine.run(slot, stride, before + stride, undefined).position.step;
    }
    if (step >= until_step) before = from;
    seekTo(engine, slot, before);
  }
}

function seekTo(engine: Engine, slot: number, step: number): void {
  let progress = engine.seek(slot, step);
  while (!progress.done) progress = engine.seek_more(slot, 1_000_000);
}
