// npm run build:wheel: builds the Python package as a wheel in dist-wheel.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildEmbed, buildEngine } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { root, runMain } from "./lib/project.mjs";
import { buildWheel } from "./lib/wheel.mjs";

await runMain(async () => {
  demandPrerequisites();
  await buildEngine("release");
  await buildEmbed();
  const out = join(root, "dist-wheel");
  rmSync(out, { recursive: true, force: true });
  console.log(await buildWheel(process.env.PYTHON ?? "python3", out));
  return 0;
});
