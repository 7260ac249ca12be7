// npm run soak [-- --steps N] [--from SEED]: runs random machines and workloads for millions of
// steps and recounts every invariant. `npm test` checks a part of the same cases.

import { readOptions } from "./lib/arguments.mjs";
import { demandPrerequisites } from "./lib/prerequisites.mjs";
import { engineDir, Refusal, runInForeground, runMain } from "./lib/project.mjs";

/** @param {string} name @param {string | undefined} text */
function whole(name, text) {
  if (/^[0-9]+$/.test(text ?? "")) return String(text);
  throw new Refusal(`--${name} ${text} is not a whole number.`);
}

await runMain(() => {
  const { steps, from } = readOptions(process.argv.slice(2), { steps: "10000000", from: "0" });
  const env = {
    MMSCOPE_FUZZ_STEPS: whole("steps", steps),
    MMSCOPE_FUZZ_FROM: whole("from", from),
  };
  demandPrerequisites();
  // A build with overflow checks, not the release build.
  const test = ["test", "--package", "mm", "--test", "all", "fuzz::", "--", "--nocapture"];
  return runInForeground("cargo", test, { cwd: engineDir, env });
});
