// Moments worth looking at, found by what happens there: the same engine runs here, without a page.
// A step number written down would be wrong with the next change of the engine.

import { loadWasm } from "../scripts/lib/wasm.mjs";

/**
 * @typedef {import("../web/src/engine/pkg/mmscope.js").View} View
 *
 * @typedef {object} Moment
 * @property {string} preset the experiment
 * @property {(view: View) => boolean} near true somewhere in the stretch the moment is looked for in
 * @property {(view: View) => boolean} there true at the moment
 */

/** Steps between two looks on the way, and how far is looked at all. */
const STRETCH = 500;
const FARTHEST = 4_000_000;

/** @param {View} view @param {string} name */
const counter = ({ counters }, name) => counters.find(([counted]) => counted === name)?.[1] ?? 0;

/** @param {boolean} isKswapd @returns {(view: View) => boolean} */
const holds =
  (isKswapd, pages = 1) =>
  ({ batches, reclaimers }) =>
    batches.some(
      (batch) =>
        batch.pages.length >= pages &&
        reclaimers.some(({ task, kswapd }) => task === batch.task && kswapd === isKswapd),
    );

/** @param {View} view */
const hasFreed = ({ batches }) =>
  batches.some(({ pages, fates }) => pages.length >= 8 && (fates[2] ?? 0) >= 4);

/** @satisfies {Record<string, Moment>} */
export const MOMENTS = {
  /** kswapd of kernel 6.1 holds a batch of anonymous pages, from lists that belong to a node. */
  hogsKswapdHolds: {
    preset: "anon-hog.teach",
    near: (view) => counter(view, "pgscan_kswapd") > 0,
    there: holds(true, 16),
  },
  /** A request reclaims for itself. */
  hogReclaims: {
    preset: "anon-hog.teach",
    near: (view) => counter(view, "pgscan_direct") > 0,
    there: holds(false, 16),
  },
  /** Swap is in use, its device works. */
  hogSwaps: {
    preset: "anon-hog.teach",
    near: ({ writeback }) => writeback.swap_used > 400,
    there: ({ writeback, devices, why }) =>
      writeback.writeback > 0 && devices.some(({ writes }) => writes.length > 0) && why !== null,
  },
  /** kswapd is woken: the low mark of a zone was missed. */
  hogWakesKswapd: {
    preset: "anon-hog.teach",
    near: ({ nodes }) => nodes.some(({ kswapd_wakes }) => kswapd_wakes > 0),
    there: ({ nodes }) => nodes.some(({ kswapd_wakes }) => kswapd_wakes > 0),
  },
  /** kswapd of kernel 3.0 has freed most of a batch of file pages, from a zone's own lists. */
  readersKswapdFrees: {
    preset: "streaming-reader.teach",
    near: (view) => counter(view, "pgscan_kswapd") > 0,
    there: hasFreed,
  },
  /** A reader's low mark is missed. */
  readerWakesKswapd: {
    preset: "streaming-reader.teach",
    near: ({ nodes }) => nodes.some(({ kswapd_wakes }) => kswapd_wakes > 0),
    there: ({ nodes }) => nodes.some(({ kswapd_wakes }) => kswapd_wakes > 0),
  },
  /** Dirty pages are above the background limit, and a writer is made to wait. */
  writerIsThrottled: {
    preset: "dirty-writer.teach",
    near: ({ tasks }) => tasks.some(isThrottled),
    there: ({ tasks }) => tasks.some(isThrottled),
  },
};

/** @param {View["tasks"][number]} task */
function isThrottled({ waits_for }) {
  return /dirty|balance_dirty/.test(waits_for);
}

/** @type {Promise<import("../scripts/lib/wasm.mjs").Wasm> | undefined} */
let loaded;
/** @type {Map<string, number>} */
const found = new Map();

/**
 * The step of a moment.
 * @param {keyof typeof MOMENTS} name
 */
export async function stepOf(name) {
  loaded ??= loadWasm();
  const { Engine } = await loaded;
  const known = found.get(name);
  if (known !== undefined) return known;
  const { preset, near, there } = MOMENTS[name];
  const engine = new Engine(16);
  engine.open(0, engine.experiment_json(preset));
  let view = engine.view(0);
  while (!near(view) && view.position.step < FARTHEST && !view.position.ended) {
    engine.run(0, STRETCH, view.position.step + STRETCH);
    view = engine.view(0);
  }
  const back = Math.max(0, view.position.step - STRETCH);
  for (let { done } = engine.seek(0, back); !done; ) ({ done } = engine.seek_more(0, STRETCH));
  view = engine.view(0);
  while (!there(view) && view.position.step < FARTHEST && !view.position.ended) {
    engine.step(0, "any", undefined, 1);
    view = engine.view(0);
  }
  engine.free();
  if (!there(view)) throw new Error(`${preset} has no moment ${name}`);
  found.set(name, view.position.step);
  return view.position.step;
}
