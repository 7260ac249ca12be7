// Finds the moment a newcomer should see first: a zone has just been refused at one of its marks.

import type { Engine } from "../pkg/mmscope";
import { type Kinds, passedMark } from "../record";
import { readSeries, rowFree, rowStep } from "../rows";
import type { Recorded, ZoneView } from "../types";

/** Steps looked at one by one around the moment a zone falls to its low mark. */
const LOOK_AROUND_STEPS = 4000;
/** kswapd lifts a refused zone at once, and the test of 3.0 refuses two pages above the mark. */
const SHORTLY_PAGES = 4;
/** Steps looked at around its high mark. */
const LARGE_BLOCK_STEPS = 400;
/** Rows of the timeline lie far apart in a long run: the fall between two is searched in strides. */
const STRIDES = [4096, 256, 32] as const;

/**
 * Moves the engine to the first step that refused a zone for its mark, or to the middle of the run
 * where no zone comes under pressure. Needs the run's timeline, so run it first.
 */
export function findFirstRefusal(engine: Engine, slot: number, kinds: Kinds): void {
  const lookAround = (steps: number, isCalm: boolean) =>
    stepsToMark(engine, slot, kinds, steps, isCalm);
  const { zones } = engine.view(slot, undefined);
  const series = readSeries(engine.samples(slot, new Uint32Array()), zones.length);
  const count = series.length;
  const free = (row: number, zone: number) => rowFree(series, row, zone);
  // kswapd may lift a zone again between two rows: one on its way down to the mark counts.
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
  // A request for a large block is refused sooner: small ones do not count for it.
  approach(engine, slot, until, isDown("high"));
  if (lookAround(LARGE_BLOCK_STEPS, false)) return;
  approach(engine, slot, until, isDown("low"));
  lookAround(LOOK_AROUND_STEPS, false);
}

/** Steps to the next comparison worth a look; says whether there was one. */
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

/** At a mark, with the most that is kept back from anybody, and shortly before it. */
const worst = (zone: ZoneView, mark: "low" | "high") =>
  zone[mark] + Math.max(0, ...zone.protection) + SHORTLY_PAGES;

/** Stops shortly before something happens; stays where it was when that is not seen to happen. */
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
