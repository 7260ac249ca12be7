// npm run scorm -- LESSON [--out DIR]: packs a lesson as a SCORM 1.2 package, for a learning platform.

import { join, resolve } from "node:path";
import { readOptions } from "./lib/arguments.mjs";
import { buildEngine, buildPage, buildTruth } from "./lib/builds.mjs";
import { dist, root, runMain, Steps } from "./lib/project.mjs";
import { SET_UP_STEPS, setUp } from "./lib/setup.mjs";

await runMain(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const lesson = first?.startsWith("--") ? undefined : first;
  const { out = "." } = readOptions(lesson === undefined ? process.argv.slice(2) : rest, {
    out: ".",
  });
  const steps = new Steps(SET_UP_STEPS + 3);
  await setUp(steps);
  await steps.step("Build the engine", () => buildEngine("release"));
  await steps.step("Compare the engine with real kernels", buildTruth);
  await steps.step("Build the page", buildPage);
  // Imported late, because the setup may have installed the archive package only now.
  const { writePackage } = await import("./lib/scorm.mjs");
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), out);
  console.log(writePackage({ lesson, lessons: join(root, "lessons"), dist, out: folder }));
});
