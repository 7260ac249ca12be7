// npm run build: makes static files in dist/, for any host and any sub-path.

import { buildEngine, buildPage, buildTruth, distSizes } from "./lib/builds.mjs";
import { runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";
import { sizeWords } from "./lib/sizes.mjs";

await runMain(async () => {
  const steps = new Steps(SET_UP_STEPS + 3);
  await setUp(steps);
  await steps.step("Build the engine", () => buildEngine("release"));
  await steps.step("Compare the engine with real kernels", buildTruth);
  await steps.step("Build the page", buildPage);
  console.log(`dist/: ${sizeWords(distSizes())}`);
});
