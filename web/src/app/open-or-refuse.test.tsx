import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startInProcess } from "../engine/in-process.test-support";
import { FIRST_SCENARIO, Workbench } from "./controller";

let bench: Workbench;

beforeEach(async () => {
  bench = new Workbench(() => startInProcess(), { ownsAddress: false });
  await waitFor(() => expect(bench.store.getState().engine.kind).toBe("ready"));
  bench.openPreset(FIRST_SCENARIO);
  await waitFor(() => expect(opened()).toBe(FIRST_SCENARIO));
});
afterEach(() => bench.dispose());

const opened = () => bench.store.getState().session?.info.experiment;
const preset = (id: string, changes: object = {}) => {
  const { engine } = bench.store.getState();
  const json = engine.kind === "ready" ? engine.presets[id] : undefined;
  return JSON.stringify({ ...JSON.parse(json ?? "{}"), ...changes });
};

test("opens a valid experiment and returns no refusals", async () => {
  expect(await bench.openOrRefuse(preset("anon-hog.teach"))).toEqual([]);
  expect(opened()).toBe("anon-hog.teach");
});

test("keeps the open experiment and returns the refusal only to the caller", async () => {
  const refusals = await bench.openOrRefuse(preset("anon-hog.teach", { workload: "none" }));
  expect(refusals.map(({ path }) => path)).toEqual(["workload"]);
  expect(opened()).toBe(FIRST_SCENARIO);
  expect(bench.store.getState().refusal).toBeNull();
});

test("returns a refusal for an experiment that a newer one supersedes", async () => {
  const overtaken = bench.openOrRefuse(preset("anon-hog.teach"));
  bench.openPreset("dirty-writer.teach");
  expect((await overtaken).map(({ reason }) => reason)).toEqual([
    "Another experiment was opened before this one was ready.",
  ]);
  await waitFor(() => expect(opened()).toBe("dirty-writer.teach"));
});
