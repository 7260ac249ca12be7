// npm run sim -- ARGS: the engine's command line, built when needed. Stdout carries its data only.

import { buildCli, cliPath } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { runInForeground, runMain } from "./lib/project.mjs";

await runMain(async () => {
  await buildCli(demandPrerequisites);
  // Paths a person types are relative to where they stand, not to the project npm runs us in.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  return runInForeground(cliPath(), process.argv.slice(2), { cwd, env: { INIT_CWD: cwd } });
});
