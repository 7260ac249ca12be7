// npm run bench -- ARGS: how fast the engine is, native and in WebAssembly.

import { spawnSync } from "node:child_process";
import { measureWasm, table, together } from "./lib/bench.mjs";
import { buildCli, cliPath } from "./lib/builds.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { runInForeground, runMain } from "./lib/project.mjs";
import { ensureWasm, loadWasm } from "./lib/wasm.mjs";

await runMain(async () => {
  const words = process.argv.slice(2);
  await buildCli(demandPrerequisites);
  if (words.includes("--help") || words.includes("-h")) {
    return runInForeground(cliPath(), ["bench", ...words]);
  }
  await ensureWasm();
  const asked = ["bench", ...words, ...(words.includes("--json") ? [] : ["--json"])];
  const { status, stdout } = spawnSync(cliPath(), asked, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) return status ?? 1;
  const native = JSON.parse(stdout);
  const wasm = await measureWasm(
    () => loadWasm({ optimised: true }),
    words.includes("--quick"),
    console.error,
  );
  const report = together(native, wasm);
  process.stdout.write(
    words.includes("--json") ? `${JSON.stringify(report, null, 2)}\n` : table(report),
  );
  return 0;
});
