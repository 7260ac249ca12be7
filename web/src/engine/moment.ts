// Finds the moment a newcomer should see first: a zone has just been refused at one of its marks.

import type { Engine } from "./pkg/mmscope";

/** Steps looked at one by one around the moment a zone falls to its low mark. */
const LOOK_AROUND_STEPS = 4000;

/**
 * Moves the engine to the first step that refused a zone for its mark, or to the middle of the run
 * where no zone comes under pressure. Needs the run's timeline, so run it first.
 */
export function findFirstRefusal(engine: Engine, slot: number): void {
  const { zones } = engine.view(slot, undefined);
  const rows = engine.timeline(slot);
  const width = 2 + zones.length;
  const count = Math.floor(rows.length / width);
  const free = (row: number, zone: number) => rows[row * width + 2 + zone] ?? 0;
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
  const middle = rows[before * width] ?? 0;
  seekTo(engine, slot, middle);
  for (let i = 0; i < LOOK_AROUND_STEPS; i += 1) {
    const { position } = engine.step(slot, "any", undefined, 1);
    const { why, route } = engine.view(slot, undefined);
    const isTelling = why?.compare && (isCalm || !why.compare.passed) && route;
    if (isTelling || position.ended) break;
  }
}

function seekTo(engine: Engine, slot: number, step: number): void {
  let progress = engine.seek(slot, step);
  while (!progress.done) progress = engine.seek_more(slot, 1_000_000);
}
