import { expect, test } from "vitest";
import { sizesOf, sizeWords, tooBig } from "./sizes.mjs";

const BUILD = [
  { name: "dist/assets/index-1.js", gzipped: 100_000 },
  { name: "dist/assets/index-2.css", gzipped: 20_000 },
  { name: "dist/assets/mmscope_bg-3.wasm", gzipped: 120_000 },
  { name: "dist/assets/mmscope_procfs_bg-4.wasm", gzipped: 400_000 },
  { name: "dist/assets/catalog-5.json", gzipped: 9_000 },
  { name: "dist/index.html", gzipped: 900_000 },
];

test("what loads with a dialog is counted apart", () => {
  const sizes = sizesOf(BUILD);
  expect(sizes).toEqual({ page: 120_000, engine: 120_000, texts: 9_000, later: 400_000 });
  expect(tooBig(sizes)).toEqual([]);
  expect(sizeWords(sizes)).toContain("engine 120.0 kB and its texts 9.0 kB");
});

test("what is over its limit is named with what to do", () => {
  const sizes = { page: 180_001, engine: 190_001, texts: 0, later: 0 };
  expect(tooBig({ ...sizes, page: 180_000, engine: 190_000 })).toEqual([]);
  const [page, engine] = tooBig(sizes);
  expect(page).toMatch(/limit is 180 kB.*React\.lazy/);
  expect(engine).toMatch(/limit is 190 kB.*ARCHITECTURE\.md/);
});
