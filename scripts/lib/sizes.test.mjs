import { expect, test } from "vitest";
import { sizesOf, sizeWords } from "./sizes.mjs";

const BUILD = [
  { name: "dist/assets/index-1.js", gzipped: 80_000 },
  { name: "dist/assets/stage-1.js", gzipped: 30_000 },
  { name: "dist/assets/index-2.css", gzipped: 10_000 },
  { name: "dist/assets/home-1.js", gzipped: 1_000 },
  { name: "dist/assets/page-1.js", gzipped: 2_000 },
  { name: "dist/assets/lesson-1.js", gzipped: 4_000 },
  { name: "dist/assets/lesson-1.css", gzipped: 200 },
  { name: "dist/assets/prose-1.js", gzipped: 500 },
  { name: "dist/assets/Dialogs-1.js", gzipped: 7_000 },
  { name: "dist/assets/engine.worker-1.js", gzipped: 100 },
  { name: "dist/assets/measure.worker-1.js", gzipped: 50 },
  { name: "dist/assets/mmscope_bg-3.wasm", gzipped: 120_000 },
  { name: "dist/assets/catalog-5.json", gzipped: 9_000 },
  { name: "dist/index.html", gzipped: 900_000 },
];

const MANIFEST = {
  "index.html": { file: "assets/index-1.js", css: ["assets/index-2.css"] },
  "_stage.js": { file: "assets/stage-1.js", imports: ["index.html"] },
  "src/pages/home/HomePage.tsx": { file: "assets/home-1.js", imports: ["_stage.js"] },
  "src/pages/workbench/Page.tsx": {
    file: "assets/page-1.js",
    imports: ["_stage.js", "index.html"],
  },
  "src/pages/lesson/LessonPage.tsx": {
    file: "assets/lesson-1.js",
    css: ["assets/lesson-1.css"],
    imports: ["_stage.js"],
  },
  "../lessons/a/index.mdx": { file: "assets/prose-1.js" },
  "src/pages/workbench/Dialogs.tsx": { file: "assets/Dialogs-1.js", imports: ["_stage.js"] },
};

test("a first figure includes the imports and the workers of its page", () => {
  const sizes = sizesOf(BUILD, MANIFEST);
  expect(sizes).toEqual({
    figures: { home: 121_100, workbench: 122_100, lesson: 124_850 },
    later: 7_000,
    engine: 120_000,
    texts: 9_000,
  });
  expect(sizeWords(sizes)).toContain("lesson 124.8 kB");
  expect(sizeWords(sizes)).toContain("engine 120.0 kB, its texts 9.0 kB");
});

test("the size of a lesson is that of the largest lesson with all tables", () => {
  const build = [
    ...BUILD,
    { name: "dist/assets/prose-2.js", gzipped: 9_000 },
    { name: "dist/assets/figures-1.js", gzipped: 500 },
  ];
  const manifest = {
    ...MANIFEST,
    "../lessons/b/index.mdx": { file: "assets/prose-2.js" },
    "../lessons/figures/f.json": { file: "assets/figures-1.js" },
  };
  const one = sizesOf(BUILD, MANIFEST).figures.lesson;
  const first = BUILD.find(({ name }) => name.endsWith("prose-1.js"))?.gzipped ?? 0;
  const both = sizesOf(build, manifest);
  expect(both.figures.lesson).toBe(one - first + 9_500);
  expect(both.later).toBe(sizesOf(BUILD, MANIFEST).later);
});

test("reports an error for a page that is not in the manifest", () => {
  const { "src/pages/home/HomePage.tsx": _, ...rest } = MANIFEST;
  expect(() => sizesOf(BUILD, rest)).toThrow(/HomePage/);
});
