// npm run sim -- ARGS: the engine's command line, built if needed. Stdout carries only its data.

import { spawnSync } from "node:child_process";
import { buildCli, cliPath } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { runInForeground, runMain } from "./lib/project.mjs";
import { asksForWasm, ensureWasm, hashInWasm, loadWasm } from "./lib/wasm.mjs";

// Paths are relative to the user's current directory, not to the project folder in which npm runs
// this script.
const cwd = process.env.INIT_CWD ?? process.cwd();

await runMain(async () => {
  await buildCli(demandPrerequisites);
  const words = process.argv.slice(2);
  if (asksForWasm(words)) return hashByWasm(words.slice(1));
  return runInForeground(cliPath(), words, { cwd, env: { INIT_CWD: cwd } });
});

/**
 * The native program parses the arguments; the WebAssembly build runs the resulting experiment.
 * @param {string[]} words
 * @returns {Promise<number>} exit code
 */
async function hashByWasm(words) {
  const { status, stdout } = spawnSync(cliPath(), ["resolve", ...words], {
    cwd,
    stdio: ["inherit", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) return status ?? 1;
  const resolved = JSON.parse(stdout);
  if (resolved.engine !== "wasm") {
    return runInForeground(cliPath(), ["hash", ...words], { cwd, env: { INIT_CWD: cwd } });
  }
  await ensureWasm();
  process.stdout.on("error", () => {}); // The reader of the output may have closed the pipe.
  return hashInWasm(await loadWasm(), resolved, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}
