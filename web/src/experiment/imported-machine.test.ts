import { expect, test } from "vitest";
import { verdictWords } from "./ImportedMachine";

const zone = (...apart: number[]) => ({
  differences: apart.map((by) => ({ what: "low", dump: 100, computed: 100 + by, reason: "" })),
});

test.each([
  [[zone(), zone()], "Every watermark computed for this machine equals the pasted one"],
  [[zone(1), zone(-1)], "Both zones within 1 page"],
  [[zone(1, 3), zone(1), zone(-2)], "All 3 zones within 3 pages"],
  [[zone(2)], "The zone is within 2 pages"],
  [[zone(2), zone()], "1 of 2 zones differs by at most 2 pages; the others are equal"],
])("says how far computed watermarks are from the pasted ones", (zones, words) => {
  expect(verdictWords(zones)).toBe(words);
});
