// npm start: installs missing packages, builds changed parts, serves the page.

import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readOptions, readPort } from "./lib/arguments.mjs";
import { buildEngine, buildPage, buildTruth } from "./lib/builds.mjs";
import { dist, runMain, Steps, truthFile } from "./lib/project.mjs";
import { listen, staticServer } from "./lib/server.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  const { port: text, host = "" } = readOptions(process.argv.slice(2), {
    port: "4173",
    host: "127.0.0.1",
  });
  const requestedPort = readPort(text);
  const steps = new Steps(SET_UP_STEPS + 4);
  await setUp(steps);
  await steps.step("Build the engine (the first time takes a few minutes)", () =>
    buildEngine("release"),
  );
  await steps.step("Build the page", buildPage);
  /** @type {number | undefined} */
  let port;
  await steps.step("Serve it", async () => {
    port = await listen(staticServer({ folder: dist }), { port: requestedPort, host });
  });
  console.log(`\nmmscope is at http://${host}:${port}/ (Ctrl-C ends it)\n`);
  // Only the page "How true is this?" needs this comparison, so the server starts without waiting
  // for it.
  await steps.step("Compare the engine with real kernels (meanwhile the page works)", async () => {
    const outcome = await buildTruth();
    copyFileSync(truthFile, join(dist, basename(truthFile)));
    return outcome;
  });
});
