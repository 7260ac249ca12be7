// npm run bench -- ARGS: measures speed (native and WebAssembly), sizes, the time to the first working
// figure, and the cost of a frame during playback. --write saves the figures as docs/measurements.md.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { document, measureWasm, median, table, together } from "./lib/bench.mjs";
import { ensureBrowser } from "./lib/browser.mjs";
import { buildCli, buildPage, cliPath, distSizes } from "./lib/builds.mjs";
import { measureFirstFigures } from "./lib/first-figure.mjs";
import { measureFrameWork } from "./lib/frame-work.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { root, runInForeground, runMain } from "./lib/project.mjs";
import { measureSweep, SWEEP_RUNS } from "./lib/sweep-speed.mjs";
import { ensureWasm, loadWasm } from "./lib/wasm.mjs";

await runMain(async () => {
  const words = process.argv.slice(2).filter((word) => word !== "--write");
  const isWritten = process.argv.includes("--write");
  const isQuick = words.includes("--quick");
  await buildCli(demandPrerequisites);
  if (words.includes("--help") || words.includes("-h")) {
    return runInForeground(cliPath(), ["bench", ...words]);
  }
  await ensureWasm();
  await buildPage();
  process.env.MMSCOPE_CHROMIUM = await ensureBrowser();
  const asked = ["bench", ...words, ...(words.includes("--json") ? [] : ["--json"])];
  const { status, stdout } = spawnSync(cliPath(), asked, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status !== 0) return status ?? 1;
  const native = JSON.parse(stdout);
  const sweep = await measureSweep(isQuick ? SWEEP_RUNS / 20 : SWEEP_RUNS, console.error);
  native.native.sweep_teaching_runs_per_s = sweep.runs_per_s;
  const wasm = await measureWasm(() => loadWasm({ optimised: true }), isQuick, console.error);
  const waits = await measureFirstFigures(isQuick ? 1 : 5, console.error);
  const first_figure_ms = Object.fromEntries(
    Object.entries(waits).map(([page, all]) => [page, median(all)]),
  );
  const frame_work_ms = await measureFrameWork(isQuick ? 5 : 20, console.error);
  const report = {
    ...together(native, wasm),
    first_figure_ms,
    frame_work_ms,
    gzipped_bytes: distSizes(),
  };
  if (isWritten) {
    mkdirSync(join(root, "docs"), { recursive: true });
    writeFileSync(join(root, "docs", "measurements.md"), document(report));
  }
  process.stdout.write(
    words.includes("--json") ? `${JSON.stringify(report, null, 2)}\n` : table(report),
  );
  return 0;
});
