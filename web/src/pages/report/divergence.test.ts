import { expect, test } from "vitest";
import { startMeasureInProcess } from "../../engine/in-process-measure.test-support";
import { loadEngine, presetJson } from "../../engine/loaded.test-support";
import { isOffered, loadPublications } from "../../lessons/publications";
import { DivergenceController, type DivergenceState } from "./divergence";

const { tables } = await loadPublications();
const table = tables.filter(isOffered).find(({ id }) => id === "fsmark");
if (!table) throw new Error("fsmark is a table");

const begin = () => new DivergenceController(table, "teach", startMeasureInProcess);

test("finds where two kernels diverge, with each in the same state as when it runs alone", async () => {
  const controller = begin();
  const heard: DivergenceState["known"]["kind"][] = [];
  controller.store.subscribe(({ known }) => heard.push(known.kind));
  await controller.run();
  const { known, kernels } = controller.store.getState();
  if (known.kind !== "found") throw new Error(`nothing found: ${known.kind}`);
  expect(heard).toContain("runs");
  expect(known.outcome).toBe("diverged");
  expect(known.last?.line).toBeTruthy();
  expect(known.runs.map(({ kernel }) => kernel)).toEqual(kernels);
  for (const { kernel, hash, time_ns } of known.runs) {
    const engine = loadEngine();
    engine.open(0, JSON.stringify({ ...JSON.parse(presetJson("fsmark.teach")), kernel }));
    const { position } = engine.run(0, known.step, known.step, undefined);
    expect(position).toMatchObject({ step: known.step, time_ns });
    expect(engine.hash(0)).toBe(hash);
  }
});

test("a search can be interrupted, and its result disappears when the kernels change", async () => {
  const controller = begin();
  const { kernels } = controller.store.getState();
  const done = controller.run();
  controller.cancel();
  await done;
  expect(controller.store.getState().known).toEqual({ kind: "stopped", message: "Cancelled." });

  await controller.run();
  expect(controller.store.getState().known.kind).toBe("found");
  controller.choose({ kernels: [kernels[1], kernels[0]] });
  expect(controller.store.getState().known).toEqual({ kind: "nothing" });
});

test("reports an experiment that cannot run", async () => {
  const controller = begin();
  controller.choose({ experiment: "no-such" });
  await controller.run();
  expect(controller.store.getState().known).toEqual({
    kind: "stopped",
    message: "It stopped: there is no experiment no-such.",
  });
});
