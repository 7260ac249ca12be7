// Part of the stage `lint`: refuses phrases that make texts of the page, lessons and documents hard to read,
// and texts of the page and the engine that are wrong for some numbers.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { disagreements } from "./lib/agreement.mjs";
import { filesBelow } from "./lib/freshness.mjs";
import { pkg, Refusal, root, runMain } from "./lib/project.mjs";
import { phrases } from "./lib/prose.mjs";

const FOLDERS = ["web/src", "lessons", "docs"];
const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const isText = (/** @type {string} */ path) =>
  /\.(ts|tsx|md|mdx|json)$/.test(path) && !/\.test\.|test-support|\.d\.ts$/.test(path);
/** Published words and results stay as they are, and so do generated files. */
const isOurs = (/** @type {string} */ path) =>
  !path.startsWith(pkg) && !path.includes("/lessons/figures/") && !path.endsWith("full-size.json");

/** The texts of the page, and the sentences of decisions. */
const COUNTING = ["web/src", "engine/mm/src"];
const counts = (/** @type {string} */ path) =>
  /\.(rs|ts|tsx)$/.test(path) && !/\.test\.|test-support|\.d\.ts$/.test(path);

await runMain(async () => {
  const found = FOLDERS.flatMap((folder) => filesBelow(join(root, folder)));
  const files = [...found, ...PAGES.map((page) => join(root, page))];
  const texts = files.filter((path) => isText(path) && isOurs(path));
  const counting = COUNTING.flatMap((folder) => filesBelow(join(root, folder)));
  const countingTexts = counting.filter((path) => counts(path) && isOurs(path));
  const faults = [
    ...texts.flatMap((path) => phrases(relative(root, path), readFileSync(path, "utf8"))),
    ...countingTexts.flatMap((path) =>
      disagreements(relative(root, path), readFileSync(path, "utf8")),
    ),
  ];
  if (faults.length > 0) throw new Refusal(faults.join("\n"));
  console.log(
    `${texts.length} files have none of the faults that scripts/lib/prose.mjs finds, and ${countingTexts.length} none of those that agreement.mjs finds.`,
  );
  return 0;
});
