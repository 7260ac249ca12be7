import { expect, test } from "vitest";
import { frameWork } from "./frame-work.mjs";

const FRAME_US = 1e6 / 60;
/** @param {number} tid @param {string} name */
const thread = (tid, name) => ({
  name: "thread_name",
  ph: "M",
  pid: 1,
  tid,
  ts: 0,
  args: { name },
});
/** @param {number} tid @param {number} ts @param {number} dur */
const task = (tid, ts, dur) => ({
  name: "ThreadControllerImpl::RunTask",
  ph: "X",
  pid: 1,
  tid,
  ts,
  dur,
});

test("sums work by frame and thread and splits a task at the end of a frame", () => {
  const events = [
    thread(1, "CrRendererMain"),
    thread(2, "DedicatedWorker thread"),
    thread(3, "Compositor"),
    task(1, 100, 2000),
    task(1, 5000, 1000),
    task(1, 2 * FRAME_US - 4000, 10_000),
    task(2, 0, 500),
    task(3, 0, 16_000),
  ];
  const { page, worker, ...others } = frameWork(events);
  expect(page).toBeCloseTo(6, 1);
  expect(worker).toBeCloseTo(0.5, 3);
  expect(others).toEqual({});
});

test("the slowest of twenty frames is beyond the 95th percentile", () => {
  const usual = Array.from({ length: 39 }, (_, i) => task(1, i * FRAME_US + 10, 1000));
  const events = [thread(1, "CrRendererMain"), ...usual, task(1, 50 * FRAME_US + 10, 12_000)];
  expect(frameWork(events).page).toBeCloseTo(1, 2);
});
