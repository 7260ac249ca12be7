// npm start: installs what is missing, builds what changed, serves the page.

import { readOptions, readPort } from "./lib/arguments.mjs";
import { buildEngine, buildPage } from "./lib/builds.mjs";
import { dist, runMain, Steps } from "./lib/project.mjs";
import { listen, staticServer } from "./lib/server.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  const options = readOptions(process.argv.slice(2), { port: "4173", host: "127.0.0.1" });
  const wanted = readPort(options.port);
  const steps = new Steps(SET_UP_STEPS + 3);
  await setUp(steps);
  await steps.step("Build the engine (the first time takes a few minutes)", () =>
    buildEngine("release"),
  );
  await steps.step("Build the page", buildPage);
  await steps.step("Serve it", async () => {
    const server = staticServer({ folder: dist });
    const port = await listen(server, { port: wanted, host: options.host ?? "127.0.0.1" });
    return `mmscope is at http://${options.host}:${port}/ (Ctrl-C ends it)`;
  });
});
