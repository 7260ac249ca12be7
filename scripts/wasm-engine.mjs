// Builds the engine for the browser when it is missing or stale, for commands that run it in Node.
// They start this with stdout turned to stderr, because their own stdout carries data.

import { buildEngine } from "./lib/builds.mjs";
import { runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  await setUp(new Steps(SET_UP_STEPS, () => {}));
  await buildEngine("release");
});
