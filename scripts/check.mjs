// npm run check [-- STAGE ...]: everything CI runs, in order of speed, or the named stages only.

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
