import { expect, test } from "vitest";
import { loadEngine, presetJson, readNow } from "./loaded.test-support";

test("a refusal names the fields and offers the nearest experiment that can run", () => {
  const long = JSON.stringify({ ...JSON.parse(presetJson("run-out.teach")), length: "2000000s" });
  const reading = readNow(long);
  if (reading.kind !== "refused") throw new Error("it is too long");
  expect(reading.refusals.map(({ path }) => path)).toEqual(["length"]);
  expect(readNow(reading.nearest ?? "").kind).toBe("checked");
  expect(readNow("{")).toMatchObject({ kind: "refused", nearest: null });
});

test("refuses a text that is not an experiment and keeps the open one", () => {
  const engine = loadEngine();
  engine.open(0, presetJson("run-out.teach"));
  const hash = engine.hash(0);
  for (const wrong of ["", "{}", presetJson("run-out.teach").slice(1)]) {
    expect(() => engine.open(0, wrong)).toThrow("not an experiment");
  }
  expect(engine.hash(0)).toBe(hash);
});
