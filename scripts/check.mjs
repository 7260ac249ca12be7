// npm run check [-- STAGE ...]: runs everything that CI runs, fast stages first, or only the named stages.

import { packagesReady } from "./lib/packages.mjs";
import { findRustup } from "./lib/prerequisites.mjs";
import { Refusal, runMain } from "./lib/project.mjs";
import { check } from "./lib/stages.mjs";

await runMain(() => {
  findRustup();
  if (!packagesReady())
    throw new Refusal("The npm packages are not up to date: run `npm ci`, or `npm test`.");
  return check(process.argv.slice(2));
});
