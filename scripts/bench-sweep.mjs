// npm run bench:sweep -- [RUNS]: measures a sweep of 10,000 teaching runs, or of the given number.

import { buildCli } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { Refusal, runMain } from "./lib/project.mjs";
import { measureSweep, SWEEP_RUNS } from "./lib/sweep-speed.mjs";

await runMain(async () => {
  const [word = String(SWEEP_RUNS)] = process.argv.slice(2);
  const runs = Number(word);
  if (!Number.isSafeInteger(runs) || runs < 1) {
    throw new Refusal(`${word}: the number of runs is a whole number from 1 on.`);
  }
  await buildCli(demandPrerequisites);
  const { seconds, runs_per_s } = await measureSweep(runs, console.error);
  console.log(`${runs} runs in ${seconds.toFixed(1)} s: ${runs_per_s.toFixed(0)} runs a second`);
  return 0;
});
