// Builds the engine for the browser if it is missing or stale, for commands that run it in Node.
// They redirect its stdout to stderr, because their own stdout carries data.

import { buildEngine } from "./lib/builds.mjs";
import { runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  await setUp(new Steps(SET_UP_STEPS, () => {}));
  await buildEngine("release");
});
