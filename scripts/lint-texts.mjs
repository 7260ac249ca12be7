// Part of the stage `lint`: refuses texts of the page that are not in a catalog.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "./lib/freshness.mjs";
import { isCatalog, looseTexts } from "./lib/loose-texts.mjs";
import { Refusal, root, runMain } from "./lib/project.mjs";

/** The folders of web/src whose texts are all in catalogs. */
const FOLDERS = [
  "app",
  "debugger",
  "experiment",
  "export",
  "keep",
  "lessons",
  "log",
  "offline",
  "pages/class",
  "pages/docs",
  "pages/home",
  "pages/lesson",
  "pages/trace",
  "pages/truth",
  "pages/workbench",
  "stage",
  "ui",
];

const isComponent = (/** @type {string} */ path) =>
  /\.tsx?$/.test(path) && !/\.test\.|test-support|\.d\.ts$/.test(path) && !isCatalog(path);

await runMain(async () => {
  const folders = FOLDERS.map((folder) => join(root, "web/src", folder));
  const files = folders.flatMap((folder) => filesBelow(folder)).filter(isComponent);
  const faults = files.flatMap((path) => {
    const file = relative(root, path);
    return looseTexts(file, readFileSync(path, "utf8")).map(
      ({ line, text }) => `${file}:${line}: "${text}": move this text to words.ts beside the file.`,
    );
  });
  if (faults.length > 0) throw new Refusal(faults.join("\n"));
  console.log(`${files.length} files of the page have their texts in catalogs.`);
  return 0;
});
