import { afterEach, expect, test } from "vitest";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import { presetJson } from "../../engine/loaded.test-support";
import { MeasureClient } from "../../engine/measure-client";
import { type Found, ShrinkSearch } from "./search";
import { FIRST } from "./statement";

const HOG = presetJson("anon-hog.teach");

/** Workers that have started and not ended. */
let workers = 0;
const begin = () =>
  new ShrinkSearch(
    () =>
      new MeasureClient(() => {
        const port = startMeasureInProcess();
        const { terminate } = port;
        workers += 1;
        port.terminate = () => {
          workers -= 1;
          terminate();
        };
        return port;
      }),
  );
afterEach(() => expect(workers).toBe(0));

/** Waits until the state of a search fulfils a condition. */
function until(search: ShrinkSearch, holds: (found: Found | null) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = search.store.subscribe(({ found }) => {
      if (!holds(found)) return;
      stop();
      resolve();
    });
  });
}

test("finds a smaller experiment for which the statement holds", async () => {
  const search = begin();
  search.edit([{ ...FIRST, counter: "pswpout" }]);
  await search.run(HOG);
  const { found, isRunning, failure } = search.store.getState();
  expect(failure).toBeNull();
  expect(isRunning).toBe(false);
  expect(found?.last.done).toBe(true);
  expect(found?.last.size?.pages).toBeLessThan(found?.first.pages ?? 0);
  expect(found?.last.best?.figures[0]?.value).toBeGreaterThan(0);
}, 120_000);

test("keeps the best result so far when it is stopped", async () => {
  const search = begin();
  const run = search.run(HOG);
  await until(search, (found) => (found?.last.runs ?? 0) > 2);
  search.stop();
  await run;
  const { found, isRunning } = search.store.getState();
  expect(isRunning).toBe(false);
  expect(found?.last.done).toBe(false);
  expect(found?.last.best?.experiment).toContain("machine");
}, 60_000);

test("says why a search cannot run", async () => {
  const search = begin();
  search.edit([{ ...FIRST, counter: "alocstall" }]);
  await search.run(HOG);
  expect(search.store.getState().failure).toMatch(/did you mean allocstall\?/);
  search.edit([{ ...FIRST, counter: "oom_kill", bound: "1000" }]);
  await search.run(HOG);
  expect(search.store.getState().failure).toMatch(/^the statement does not hold: oom_kill is /);
}, 60_000);
