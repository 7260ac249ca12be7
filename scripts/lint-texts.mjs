// Part of the stage `lint`: refuses texts of the page that are not in a catalog, and texts of catalogs that
// nothing shows.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "./lib/freshness.mjs";
import { isCatalog, looseTexts } from "./lib/loose-texts.mjs";
import { Refusal, root, runMain } from "./lib/project.mjs";
import { unusedTexts } from "./lib/unused-texts.mjs";

/** The folders of web/src whose texts are all in catalogs. */
const FOLDERS = [
  "app",
  "debugger",
  "embed",
  "experiment",
  "export",
  "keep",
  "lessons",
  "log",
  "offline",
  "pages/class",
  "pages/compare",
  "pages/docs",
  "pages/history",
  "pages/home",
  "pages/lesson",
  "pages/sweep",
  "pages/trace",
  "pages/truth",
  "pages/workbench",
  "runs",
  "stage",
  "timeline",
  "ui",
];
/** Files of web/src itself whose texts are in its catalog. */
const FILES = ["App.tsx", "main.tsx"];

const isComponent = (/** @type {string} */ path) =>
  /\.tsx?$/.test(path) && !/\.test\.|test-support|\.d\.ts$/.test(path) && !isCatalog(path);

/** Members of catalogs that no file of the page names. */
function unusedInCatalogs() {
  const sources = filesBelow(join(root, "web/src"))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|test-support|\.d\.ts$/.test(path))
    .filter((path) => !path.includes("/engine/pkg/"))
    .map((path) => ({ path, source: readFileSync(path, "utf8") }));
  return sources
    .filter(({ path }) => isCatalog(path))
    .flatMap(({ path, source }) => {
      const file = relative(root, path);
      const others = sources.filter((other) => other.path !== path).map((other) => other.source);
      return unusedTexts(file, source, others).map(
        ({ line, name }) => `${file}:${line}: ${name}: nothing shows this text. Remove it.`,
      );
    });
}

await runMain(async () => {
  const folders = FOLDERS.map((folder) => join(root, "web/src", folder));
  const files = [
    ...folders.flatMap((folder) => filesBelow(folder)).filter(isComponent),
    ...FILES.map((file) => join(root, "web/src", file)),
  ];
  const faults = files.flatMap((path) => {
    const file = relative(root, path);
    return looseTexts(file, readFileSync(path, "utf8")).map(
      ({ line, text }) => `${file}:${line}: "${text}": move this text to words.ts beside the file.`,
    );
  });
  faults.push(...unusedInCatalogs());
  if (faults.length > 0) throw new Refusal(faults.join("\n"));
  console.log(`${files.length} files of the page have their texts in catalogs.`);
  return 0;
});
