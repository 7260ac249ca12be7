import { afterEach, expect, test } from "vitest";
import { startMeasureInProcess } from "../engine/in-process-measure.test-support";
import { presetJson } from "../engine/loaded.test-support";
import { MeasureClient } from "../engine/measure-client";
import type { LinkResult } from "../link/schema";
import { differencesOf, Reproduction } from "./reproduction";

const experiment = presetJson("first-touch.teach");
/** Workers that have started and not ended. */
let workers = 0;
const inProcess = () =>
  new Reproduction(
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

/** A result of the whole run with some of its counters. */
async function whole(): Promise<LinkResult> {
  const reproduction = inProcess();
  const { figures, ...result } = await reproduction.compute(experiment, { ended: true });
  const chosen = figures.filter(([name]) => name === "pgfault" || name === "pgfree");
  reproduction.dispose();
  return { ...result, figures: chosen.map(([name, value]) => [name, value]) };
}

test("a repeated run reproduces its result at the end and at a step", async () => {
  const reproduction = inProcess();
  await reproduction.check(experiment, await whole());
  expect(reproduction.store.getState()).toMatchObject({ kind: "checked", differences: [] });
  const part = await reproduction.compute(experiment, { ended: false, step: 20_000 });
  expect(part).toMatchObject({ step: 20_000, ended: false });
  await reproduction.check(experiment, { ...part, figures: [] });
  expect(reproduction.store.getState()).toMatchObject({ kind: "checked", differences: [] });
  reproduction.dispose();
});

test("names each value that differs with both values", async () => {
  const theirs = await whole();
  const [[name = "", value = 0] = []] = theirs.figures;
  const wrong: LinkResult = {
    ...theirs,
    hash: "0000000000000000",
    figures: [
      [name, value + 1],
      ["no_such_counter", 3],
    ],
  };
  const reproduction = inProcess();
  await reproduction.check(experiment, wrong);
  expect(reproduction.store.getState()).toMatchObject({
    kind: "checked",
    differences: [
      { name: "hash", kind: "field", theirs: "0000000000000000", ours: theirs.hash },
      { name, kind: "figure", theirs: value + 1, ours: value },
      { name: "no_such_counter", kind: "figure", theirs: 3, ours: null },
    ],
  });
  reproduction.dispose();
});

test("a different build of the engine alone is not a difference", async () => {
  const ours = await whole();
  expect(differencesOf({ ...ours, engine: "0.1.0", build: "other" }, ours)).toEqual([]);
});

test("reports a cancelled check, and a later check still works", async () => {
  const theirs = await whole();
  const reproduction = inProcess();
  const checked = reproduction.check(experiment, theirs);
  reproduction.cancel();
  await checked;
  expect(reproduction.store.getState()).toEqual({ kind: "cancelled" });
  await reproduction.check(experiment, theirs);
  expect(reproduction.store.getState()).toMatchObject({ kind: "checked", differences: [] });
  reproduction.dispose();
});

test("shows a message for an experiment that the engine refuses", async () => {
  const reproduction = inProcess();
  await reproduction.check('{"kernel": "none"}', await whole());
  expect(reproduction.store.getState()).toMatchObject({ kind: "failed" });
  reproduction.dispose();
});
