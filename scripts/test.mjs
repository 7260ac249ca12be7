// npm test: installs missing packages and a browser, then checks everything.

import { runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp, setUpBrowser } from "./lib/setup.mjs";
import { check } from "./lib/stages.mjs";

await runMain(async () => {
  const steps = new Steps(SET_UP_STEPS + 1);
  await setUp(steps, { forChecks: true });
  await setUpBrowser(steps);
  return check(process.argv.slice(2));
});
