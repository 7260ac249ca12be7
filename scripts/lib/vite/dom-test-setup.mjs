// Every component test starts with an empty page, and waits for what a person would see as long as
// the test itself may take: the library's second is a guess about the machine, and a busy one is slow,
// not wrong. What never comes fails all the same.

import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach } from "vitest";

configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);

// What a file leaves running finds no document when the file has ended: on a busy machine it would
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
  // jsdom counts frames with an interval of this kind while somebody waits for one: the last ones pass.
  for (let frame = 0; frame < 2; frame += 1) await new Promise((passed) => atFrame(passed));
  const left = [...running];
  for (const timer of left) end(/** @type {NodeJS.Timeout} */ (timer));
  if (left.length > 0)
    throw new Error(
      `Left running: ${left.length} timers. Dispose of every controller a test makes.`,
    );
});
