// Measures how many teaching runs a sweep completes per second, on all processors.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { cliPath } from "./builds.mjs";
import { Refusal } from "./project.mjs";

const EXPERIMENT = "first-touch.teach";
/** The runs of a whole measurement, each with another seed. */
export const SWEEP_RUNS = 10_000;

/**
 * @typedef {object} Speed
 * @property {number} runs
 * @property {number} seconds from the start of the command to its end, with the checks of all experiments
 * @property {number} runs_per_s
 *
 * @param {number} runs
 * @param {(line: string) => void} say
 * @returns {Promise<Speed>}
 */
export async function measureSweep(runs, say) {
  say(`native: a sweep of ${runs} runs of ${EXPERIMENT}`);
  const sweep = { experiment: EXPERIMENT, axes: { seed: { from: 1, to: runs } } };
  const begun = performance.now();
  const child = spawn(cliPath(), ["sweep", "-"], { stdio: ["pipe", "pipe", "pipe"] });
  let messages = "";
  child.stderr.on("data", (data) => {
    messages += data;
  });
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  child.stdin.end(JSON.stringify(sweep));
  const hashes = new Set();
  for await (const line of createInterface({ input: child.stdout })) hashes.add(hashOf(line));
  const code = await ended;
  const seconds = (performance.now() - begun) / 1000;
  if (code !== 0 || hashes.size !== runs) {
    throw new Refusal(`The sweep gave ${hashes.size} results of ${runs}: ${messages.trim()}`);
  }
  return { runs, seconds, runs_per_s: runs / seconds };
}

/** Each seed leads to a different state. @param {string} line @returns {string} */
const hashOf = (line) => JSON.parse(line).hash;
