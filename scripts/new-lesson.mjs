// npm run new-lesson NAME: makes the folder of a new lesson that passes the lessons' tests unchanged.

import { join, relative } from "node:path";
import { makeLesson } from "./lib/new-lesson.mjs";
import { root, runMain } from "./lib/project.mjs";

await runMain(async () => {
  const [name] = process.argv.slice(2);
  const folder = relative(root, makeLesson(name, join(root, "lessons")));
  console.log(
    `${folder} is a lesson already. Write it, and run: npx vitest run ${folder.replace(/^lessons/, "lessons/tests")}`,
  );
});
