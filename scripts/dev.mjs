// npm run dev: the page with hot reload; a change to the engine rebuilds it and reloads the page.

import { buildEngine } from "./lib/builds.mjs";
import { localBin, runInForeground, runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  const steps = new Steps(SET_UP_STEPS + 1);
  await setUp(steps);
  await steps.step("Build the engine", () => buildEngine("dev"));
  return runInForeground(localBin("vite"), process.argv.slice(2));
});
