import { expect, test } from "vitest";
import { loadEngine, openText, presetJson } from "../engine/loaded.test-support";
import { type Direction, directionsOf } from "./directions";

const COLUMNS = ["DMA", "DMA32", "Normal"];

/** The directions on node 0 over the first steps of a run in which kswapd has work. */
function seen(kernel: string): Direction[] {
  const raw = JSON.parse(presetJson("anon-hog.teach"));
  const engine = loadEngine();
  expect(openText(engine, 0, JSON.stringify({ ...raw, kernel })).kind).toBe("checked");
  const out: Direction[] = [];
  const isAwake = () => engine.view(0, undefined).nodes[0]?.kswapd_awake;
  for (let step = 2000; step < 400_000 && out.length < 400; step += 2000) {
    engine.run(0, step, step, undefined);
    if (!isAwake()) continue;
    for (let i = 1; i <= 200; i += 1) {
      engine.run(0, step + i, step + i, undefined);
      out.push(...directionsOf(engine.view(0, undefined), 0, COLUMNS));
    }
    step += 200;
  }
  engine.free();
  return out;
}

const of = (all: readonly Direction[], who: Direction["who"]) =>
  all.filter((one) => one.who === who);

test.each(["3.0", "3.16"])("kswapd of %s scans zones up and the allocator down", (kernel) => {
  const all = seen(kernel);
  const [up, down] = [of(all, "kswapd"), of(all, "allocator")];
  expect(up.length).toBeGreaterThan(0);
  expect(down.length).toBeGreaterThan(0);
  expect(up.every(({ from, to, isOrdered }) => from < to && isOrdered)).toBe(true);
  expect(down.every(({ from, to }) => from > to)).toBe(true);
  expect(up.some(({ at }) => at !== null)).toBe(true);
  expect(up[0]?.words).toMatch(/^kswapd0 goes from DMA\d* up to /);
});

test("a node of 6.1 has one set of lists, and kswapd has no order of zones", () => {
  const runs = of(seen("6.1"), "kswapd");
  expect(runs.length).toBeGreaterThan(0);
  expect(runs.every(({ isOrdered, at }) => !isOrdered && at === null)).toBe(true);
  expect(runs[0]?.words).toContain("together");
});
