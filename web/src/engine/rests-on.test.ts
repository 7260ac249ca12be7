import { expect, test } from "vitest";
import { evidenceOf } from "./evidence";
import { catalog, loadEngine, presetJson } from "./loaded.test-support";
import { foundationsOf } from "./rests-on";

test("names the functions, absent mechanisms and constants of a run", () => {
  const engine = loadEngine();
  engine.open(0, presetJson("first-touch.teach"));
  engine.run(0, 50_000, undefined, undefined);
  const evidence = evidenceOf(engine, 0);
  expect(evidence).toMatchObject({ position: { step: 50_000 }, panic: null });
  const { functions, absent, costs } = foundationsOf(catalog, "3.0", evidence.restsOn);
  const allocator = functions.find(({ name }) => name === "get_page_from_freelist");
  expect(allocator?.calls).toBeGreaterThan(0);
  expect(functions.map(({ calls }) => calls)).toEqual(
    functions.map(({ calls }) => calls).toSorted((a, b) => b - a),
  );
  expect(absent.every(({ note }) => note !== "")).toBe(true);
  expect(costs.find(({ name }) => name === "minor_fault")?.ns).toBeGreaterThan(0);
  // Nothing was migrated, so these constants have not influenced the run.
  expect(costs.map(({ name }) => name)).not.toContain("migrate_page");
});
