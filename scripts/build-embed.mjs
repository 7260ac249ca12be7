// npm run build:embed: builds the npm package in packages/mmscope.

import { buildEmbed, buildEngine } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { packageDir, runMain } from "./lib/project.mjs";

await runMain(async () => {
  demandPrerequisites();
  await buildEngine("release");
  console.log(`${packageDir}: ${(await buildEmbed()) ?? "built"}`);
  return 0;
});
