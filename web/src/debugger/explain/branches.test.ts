import { expect, test } from "vitest";
import { catalog } from "../../engine/loaded.test-support";
import { BRANCHED, branchesOf, consequence } from "./branches";

test("every decision with branches exists in the engine, and its branches have different texts", () => {
  const known = new Set(catalog.records.map(({ name }) => name));
  expect(BRANCHED.filter((name) => !known.has(name))).toEqual([]);
  for (const name of BRANCHED) {
    const branches = branchesOf(name, catalog);
    expect(branches?.others.length).toBeGreaterThan(0);
    const all = [branches?.taken ?? "", ...(branches?.others ?? [])];
    expect(new Set(all).size).toBe(all.length);
    for (const words of all) {
      expect(words.split(" ").length).toBeGreaterThan(1);
      expect(words.split(" ").length).toBeLessThan(16);
    }
  }
});

test("uses the end of the sentence as the text of a branch", () => {
  expect(branchesOf("RefsKeep", catalog)).toEqual({
    taken: "it is kept for one more round",
    others: ["it is activated", "it may be freed"],
  });
  expect(consequence("{0} is low: fetch {1} from the lists first.")).toBe(
    "fetch … from the lists first",
  );
  expect(branchesOf("LadderLocked", catalog)).toBe(null);
  expect(branchesOf("", catalog)).toBe(null);
});
