// Measures the work of a frame during playback at the default pace: on the page's thread, which draws,
// and on the engine's worker.

import { BROWSER_ARGS } from "./browser.mjs";
import { dist } from "./project.mjs";
import { listen, staticServer } from "./server.mjs";

/** The target for the longest work of 95 frames in 100, ms. */
export const FRAME_AIM_MS = 8;
/** A frame of a 60 Hz screen, us. */
const FRAME_US = 1e6 / 60;
/** The threads to measure, by their names in the browser's traces. */
const THREADS = { CrRendererMain: "page", "DedicatedWorker thread": "worker" };

/**
 * @typedef {object} TraceEvent
 * @property {string} name
 * @property {string} ph
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts us
 * @property {number} [dur] us
 * @property {{ name?: string }} [args]
 */

/**
 * The 95th percentile of milliseconds of work a frame, by thread, over the frames in which the
 * thread worked. If there are several workers, only the busiest one counts.
 * @param {TraceEvent[]} events
 * @returns {Record<string, number>}
 */
export function frameWork(events) {
  /** @type {Map<string, string>} */
  const threads = new Map();
  for (const { name, pid, tid, args } of events) {
    const thread = Object.entries(THREADS).find(([start]) => args?.name?.startsWith(start));
    if (name === "thread_name" && thread) threads.set(`${pid} ${tid}`, thread[1]);
  }
  /** @type {Map<string, Map<number, number>>} */
  const busy = new Map();
  for (const { name, ph, pid, tid, ts, dur = 0 } of events) {
    const key = `${pid} ${tid}`;
    if (ph !== "X" || !name.endsWith("RunTask") || !threads.has(key)) continue;
    const frames = busy.get(key) ?? new Map();
    busy.set(key, frames);
    spread(frames, ts, dur);
  }
  /** @type {Record<string, number>} */
  const worst = {};
  for (const [key, frames] of busy) {
    const name = threads.get(key) ?? "";
    const all = [...frames.values()].sort((a, b) => a - b);
    const p95 = (all[Math.floor(all.length * 0.95)] ?? 0) / 1000;
    worst[name] = Math.max(worst[name] ?? 0, p95);
  }
  return worst;
}

/**
 * Adds a period of work to its frames.
 * @param {Map<number, number>} frames
 * @param {number} ts
 * @param {number} dur
 */
function spread(frames, ts, dur) {
  for (let at = ts; at < ts + dur; ) {
    const frame = Math.floor(at / FRAME_US);
    const end = Math.min(ts + dur, (frame + 1) * FRAME_US);
    frames.set(frame, (frames.get(frame) ?? 0) + end - at);
    // If rounding did not advance the end, the loop would not terminate.
    at = Math.max(end, at + 1);
  }
}

/**
 * Plays the first scenario at its default pace.
 * @param {number} seconds
 * @param {(line: string) => void} say
 */
export async function measureFrameWork(seconds, say) {
  say("frame work at default pace");
  const { chromium } = await import("@playwright/test");
  const executablePath = process.env.MMSCOPE_CHROMIUM ?? chromium.executablePath();
  const browser = await chromium.launch({ args: BROWSER_ARGS, executablePath });
  const server = staticServer({ folder: dist });
  const url = `http://127.0.0.1:${await listen(server, { port: 4384 })}/`;
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}#/workbench?preset=streaming-reader.teach`);
  const play = page.getByRole("button", { name: "Play", exact: true });
  await play.click();
  await page.waitForTimeout(1000);
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await page.waitForTimeout(seconds * 1000);
  const trace = JSON.parse((await browser.stopTracing()).toString());
  await browser.close();
  server.close();
  return frameWork(trace.traceEvents);
}
