// Every component test starts with an empty page. Its waits have the same timeout as the test
// itself, because the library's limit of 1 s is too short for a busy machine. A condition that
// never becomes true still fails.

import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach } from "vitest";

configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);

// Timers that a test file leaves running would find no document after its end. On a busy machine, they would
// fail a check in which every test has passed.
const { setInterval: begin, clearInterval: end, requestAnimationFrame: atFrame } = globalThis;
/** @type {Set<unknown>} */
const running = new Set();
Object.assign(globalThis, {
  /** @param {[() => void, number]} args */
  setInterval: (...args) => {
    const timer = begin(...args);
    running.add(timer);
    return timer;
  },
  /** @param {NodeJS.Timeout} timer */
  clearInterval: (timer) => {
    running.delete(timer);
    end(timer);
  },
});
afterAll(async () => {
  // While an animation frame is requested, jsdom runs an interval timer: wait until the last frames
  // have passed.
  for (let frame = 0; frame < 2; frame += 1) await new Promise((passed) => atFrame(passed));
  const left = [...running];
  for (const timer of left) end(/** @type {NodeJS.Timeout} */ (timer));
  if (left.length > 0)
    throw new Error(
      `Timers still running: ${left.length}. Dispose of every controller that a test makes.`,
    );
});
