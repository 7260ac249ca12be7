import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadEngine, openText, presetJson } from "./loaded.test-support";

/** Lines of "experiment step hash", written by the native engine (engine/mm/tests/hashes.rs). */
const lines = readFileSync("engine/mm/tests/data/hashes.txt", "utf8").trim().split("\n");

test.each(lines)("WebAssembly computes the same hash as the native engine: %s", (line) => {
  const [id = "", step = "", hash = ""] = line.split(" ");
  const engine = loadEngine();
  expect(openText(engine, 0, presetJson(id)).kind).toBe("checked");
  engine.run(0, Number(step), Number(step), undefined);
  expect(engine.view(0, undefined).position.step).toBe(Number(step));
  expect(engine.hash(0)).toBe(hash);
  engine.free();
});
