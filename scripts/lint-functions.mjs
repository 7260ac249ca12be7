// Part of the stage `lint`: refuses functions that are too long, especially components.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "./lib/freshness.mjs";
import { MOST_LINES, tooLong } from "./lib/function-lengths.mjs";
import { pkg, Refusal, root, runMain } from "./lib/project.mjs";

const FOLDERS = ["web/src", "lessons", "scripts"];
const isSource = (/** @type {string} */ path) =>
  /\.(ts|tsx|mjs)$/.test(path) && !/\.test\.|\.d\.ts$/.test(path) && !path.startsWith(pkg);

await runMain(async () => {
  const files = FOLDERS.flatMap((folder) => filesBelow(join(root, folder))).filter(isSource);
  const faults = files.flatMap((path) => tooLong(relative(root, path), readFileSync(path, "utf8")));
  if (faults.length > 0) throw new Refusal(faults.join("\n"));
  console.log(`No function of ${files.length} files has more than ${MOST_LINES} lines.`);
  return 0;
});
