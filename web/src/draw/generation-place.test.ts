import { describe, expect, test } from "vitest";
import { generationLine, generationNext, placeOfPage } from "./generation-place";
import { readGenerations } from "./generations";

const generation = (seq: number, pages: number[]) => ({ seq, pages, born_ns: 0, tiers: [] });
const owner = {
  key: "0",
  node: 0,
  max_seq: 7,
  min_seq: [4, 4],
  generations: [
    generation(4, [0, 3]),
    generation(5, [0, 0]),
    generation(6, [1, 0]),
    generation(7, [0, 1]),
  ],
  tiers: [],
  walking: null,
};
const oldest = [3, 1, 4, 2, 4 | (1 << 12), 3, 4];
const sent = Uint32Array.from([0, ...oldest, 0, 0, 1, 9, 1, 0, 0, 1, 5, 3]);
const lists = readGenerations(sent, [owner])[0] ?? [];
const place = (pfn: number) => {
  const found = placeOfPage(owner, lists, pfn);
  if (!found) throw new Error(`page ${pfn} is in no generation`);
  return found;
};

describe("a page of a generation", () => {
  test("is found with its tier and the pages that are evicted before it", () => {
    expect(place(2)).toEqual({
      key: "0",
      seq: 4,
      younger: 3,
      isOldest: true,
      type: "file",
      tier: 1,
      pages: 3,
      before: 1,
    });
    expect(placeOfPage(owner, lists, 77)).toBeNull();
  });

  test("is described by its generation and its position in the generation", () => {
    expect(generationLine(place(2))).toBe(
      "generation 4 of node 0, the oldest, tier 1; reclaim evicts 1 of its 3 file pages before this one",
    );
    expect(generationLine(place(5))).toMatch(/^generation 7 of node 0, the youngest, tier 0/);
  });

  test("is evicted only when it is in the oldest generation, and not in the two youngest", () => {
    expect(generationNext(place(5))).toMatch(/until two more generations open/);
    expect(generationNext(place(9))).toMatch(/until one more generation opens/);
    expect(generationNext(place(1))).toMatch(/^reclaim takes it next; if the kernel finds/);
    expect(generationNext(place(2))).toMatch(/if tier 1 refaults more often than tier 0/);
  });
});
