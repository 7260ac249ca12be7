// npm run bench -- ARGS: steps a second, printed by the engine's command line.

import { buildCli, cliPath } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { runInForeground, runMain } from "./lib/project.mjs";

await runMain(async () => {
  await buildCli(demandPrerequisites);
  return runInForeground(cliPath(), ["bench", ...process.argv.slice(2)]);
});
