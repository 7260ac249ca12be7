// Moments for journeys and screenshots. The engine runs here without a page and finds each moment
// by its events, because fixed step numbers would become wrong with the next change of the engine.

import { readFileSync } from "node:fs";
import { Engine, initSync } from "../web/src/engine/pkg/mmscope.js";

/**
 * @typedef {import("../web/src/engine/pkg/mmscope.js").View} View
 *
 * @typedef {object} Moment
 * @property {string} preset the experiment
 * @property {(view: View) => boolean} near true somewhere in the range that is searched
 * @property {(view: View) => boolean} there true at the moment
 */

/** Steps between two checks, and the last step that is checked. */
const STRETCH = 500;
const FARTHEST = 4_000_000;

/** The positions of a row's kind and of its first value. A list comes last. */
const [KIND, ROW_HEAD] = [6, 8];

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

const built = (/** @type {string} */ name) =>
  new URL(`../web/src/engine/pkg/${name}`, import.meta.url);
/** @type {{ records: { name: string, template: string | null, fields: { name: string }[] }[], presets: [string, string][] }} */
const catalog = JSON.parse(readFileSync(built("catalog.json"), "utf8"));

/** The engine stores a decision's numbers; the catalog has its words. @param {View} view */
function sentence({ why }) {
  const kind = why && catalog.records[why[KIND] ?? -1];
  if (!kind) return "";
  const value = (/** @type {string} */ field) =>
    why[ROW_HEAD + kind.fields.findIndex(({ name }) => name === field)];
  return (kind.template ?? "").replace(/\{(\w+)[^}]*\}/g, (_, field) => String(value(field)));
}

/** @param {RegExp} words @returns {(view: View) => boolean} */
const says = (words) => (view) => words.test(sentence(view));

/** @param {View} view */
const isKswapdWoken = ({ nodes }) => nodes.some(({ kswapd_wakes }) => kswapd_wakes > 0);

/** @satisfies {Record<string, Moment>} */
export const MOMENTS = {
  /** A zone's free pages are not above its low watermark: kswapd is woken. */
  hogWakesKswapd: {
    preset: "anon-hog.teach",
    near: isKswapdWoken,
    there: says(/kswapd of the node is woken/),
  },
  /** kswapd of kernel 6.1 holds a batch of anonymous pages from the lists of a node. */
  hogsKswapdHolds: {
    preset: "anon-hog.teach",
    near: (view) => counter(view, "pgscan_kswapd") > 0,
    there: holds(true, 16),
  },
  /** A task reclaims directly, and holds a batch. */
  hogReclaims: {
    preset: "anon-hog.teach",
    near: (view) => counter(view, "pgscan_direct") > 0,
    there: holds(false, 16),
  },
  /** A page gets a swap slot. */
  hogSwapsOut: {
    preset: "anon-hog.teach",
    near: ({ writeback }) => writeback.swap_used > 0,
    there: says(/gets swap slot/),
  },
  /**
   * Swap is in use and its device is busy; the task that reclaims on node 0 has pages under
   * writeback.
   */
  hogSwaps: {
    preset: "anon-hog.teach",
    near: ({ writeback }) => writeback.swap_used > 400,
    there: ({ writeback, devices, batches, ran, why }) =>
      writeback.writeback > 0 &&
      devices.some(({ writes }) => writes.length > 0) &&
      batches.some(
        ({ owner, task, fates }) => owner === "0" && task === ran && (fates[5] ?? 0) > 0,
      ) &&
      why !== null,
  },
  /** The same for a task that reads a file, on a kernel with LRU lists for each zone. */
  readerWakesKswapd: {
    preset: "streaming-reader.teach",
    near: isKswapdWoken,
    there: says(/kswapd of the node is woken/),
  },
  /** kswapd of kernel 3.0 has freed part of a batch of file pages from the LRU lists of a zone. */
  readersKswapdFrees: {
    preset: "streaming-reader.teach",
    near: (view) => counter(view, "pgscan_kswapd") > 0,
    there: (view) =>
      says(/is clean and unused: it is freed/)(view) &&
      view.batches.some(({ fates }) => (fates[2] ?? 0) >= 4),
  },
  /** Dirty pages exceed the background limit: the flusher starts. */
  writerStartsFlusher: {
    preset: "dirty-writer.teach",
    near: ({ writeback: { dirty, background } }) => dirty > background,
    there: says(/more than the background limit/),
  },
  /** kswapd reclaims from a zone while an allocation walks the zonelist of the same node. */
  kswapdAgainstAllocator: {
    preset: "streaming-reader.teach",
    near: isKswapdWoken,
    there: ({ reclaimers, route, nodes }) =>
      route?.node === 0 &&
      nodes.some(({ id, kswapd_awake }) => id === 0 && kswapd_awake) &&
      reclaimers.some(({ kswapd, node, zone }) => kswapd && node === 0 && zone !== ""),
  },
  /** Node 1 provides a page instead of node 0, and zone_reclaim ran before. */
  otherNodeFirst: {
    preset: "fsmark.teach",
    near: ({ nodes }) => nodes.some(({ first_fallback }) => first_fallback !== null),
    there: ({ nodes, position }) =>
      nodes.some(({ first_fallback }) => first_fallback?.step === position.step),
  },
  /** zone_reclaim has scanned pages, and they are counted. */
  zoneReclaimed: {
    preset: "fsmark.teach",
    near: (view) => counter(view, "stall_zone_reclaim_ns") > 0,
    there: (view) => counter(view, "stall_zone_reclaim_ns") > 0,
  },
  /**
   * A zonelist walk skips a zone that is marked full in the zonelist cache, as many walks do by
   * then.
   */
  zoneKeptOut: {
    preset: "streaming-mapped-writer.teach",
    near: ({ position }) => position.time_ns > 39.8e9,
    there: says(/less than a second ago: it is skipped without a check/),
  },
  /** Reclaimed pages have been read back. */
  readAgain: {
    preset: "tiobench.teach",
    near: (view) => counter(view, "reread") > 4000,
    there: (view) => counter(view, "reread") > 4000,
  },
  /** The OOM killer of a memory cgroup has killed a process, whose pages are still charged. */
  containerKills: {
    preset: "container-at-its-limit.teach",
    near: ({ groups }) => groups.some(({ events }) => events.oom_kill > 0),
    there: ({ groups }) => groups.some(({ events }) => events.oom_kill > 0),
  },
  /** A writer must wait. */
  writerIsThrottled: {
    preset: "dirty-writer.teach",
    near: ({ tasks }) => tasks.some(({ waits_for }) => waits_for === "fewer dirty pages"),
    there: says(/the pause for \d+ lasts \d+/),
  },
};

/** Ready-made experiments by id, as JSON. @type {Map<string, string>} */
const presets = new Map();
/** @type {Map<string, number>} */
const found = new Map();

/**
 * The step of a moment.
 * @param {keyof typeof MOMENTS} name
 */
export function stepOf(name) {
  const known = found.get(name);
  if (known !== undefined) return known;
  const { preset, near, there } = MOMENTS[name];
  const step = stepIn(presetJson(preset), near, there);
  found.set(name, step);
  return step;
}

/** A ready-made experiment. @param {string} id */
export function presetJson(id) {
  start();
  return presets.get(id) ?? "";
}

/** Loads the engine once. */
function start() {
  if (presets.size > 0) return;
  initSync({ module: readFileSync(built("mmscope_bg.wasm")) });
  for (const [id, json] of catalog.presets) presets.set(id, json);
}

/**
 * The step of a moment of an experiment.
 * @param {string} json
 * @param {(view: View) => boolean} near
 * @param {(view: View) => boolean} there
 */
export function stepIn(json, near, there = near) {
  start();
  const engine = new Engine(16);
  engine.open(0, json);
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
  if (!there(view)) throw new Error("the experiment has no such moment");
  return view.position.step;
}
