// Borders between the parts, and leftovers: what no linter knows about this project.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { dependenciesOf, ENGINE_CRATES, findingsIn } from "./lib/borders.mjs";
import { filesBelow } from "./lib/freshness.mjs";
import { root, runMain } from "./lib/project.mjs";

await runMain(async () => {
  const paths = projectFiles();
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");
  const findings = [
    ...paths.flatMap((path) => findingsIn(path, () => read(path))),
    ...ENGINE_CRATES.flatMap((crate) => {
      const path = `engine/${crate}/Cargo.toml`;
      return dependenciesOf(crate, path, read(path));
    }),
  ];
  for (const { path, line, isWarning, says } of findings) {
    console.log(`${path}:${line}: ${isWarning ? "warning: " : ""}${says}`);
  }
  const errors = findings.filter(({ isWarning }) => !isWarning);
  console.log(
    `${paths.length} files, ${errors.length} errors, ${findings.length - errors.length} warnings`,
  );
  return errors.length > 0 ? 1 : 0;
});

/** What is committed or could be; in a folder without git, every file. @returns {string[]} */
function projectFiles() {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (listed.status !== 0) {
    return filesBelow(root).map((file) => relative(root, file).split(sep).join("/"));
  }
  return listed.stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
}
