// The engine's WebAssembly build, in Node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { pkg, Refusal, root, run } from "./project.mjs";

/** An internal error of the engine: a trap. */
export const ENGINE_FAULT = 3;
/** Bad input. */
export const BAD_INPUT = 2;

/** Steps between two checks for other events in Node. */
const SLICE = 20_000_000;

/**
 * The parts of the generated package that are used here.
 * @typedef {{ step: number, time_ns: number, ended: boolean }} Position
 * @typedef {{ position: Position, done: boolean }} Advance
 * @typedef {object} Engine
 * @property {(slot: number, experiment: string) => void} open
 * @property {(slot: number, maxSteps: number, untilStep?: number, untilNs?: number) => Advance} run
 * @property {(slot: number, how: string, followed: number | undefined, maxSteps: number) => Advance} step
 * @property {(slot: number, how: string, followed?: number) => Advance} back
 * @property {(slot: number, step: number) => Advance} seek
 * @property {(slot: number, maxSteps: number) => Advance} seek_more
 * @property {(slot: number, maxSteps: number) => boolean} settle
 * @property {(slot: number) => { position: Position, tasks: { id: number, name: string }[], counters: [string, number][] }} view
 * @property {(slot: number) => string} hash
 * @property {() => void} free
 *
 * @typedef {object} Wasm
 * @property {new (budgetMib: number) => Engine} Engine
 * @property {WebAssembly.Memory} memory
 * @property {(json: string) => Reading} read
 *
 * @typedef {{ path: string, reason: string }} Fault
 * @typedef {{ frames: number }} Checked
 * @typedef {Checked | { faults: Fault[] }} Reading
 */

let instances = 0;

/** Builds the WebAssembly engine unless it is fresh; all output goes to stderr. */
export async function ensureWasm() {
  const script = join(root, "scripts", "wasm-engine.mjs");
  const { code } = await run(process.execPath, [script], { stdio: ["ignore", 2, 2] });
  if (code !== 0) throw new Refusal("The engine for the browser did not build: see above.");
}

/**
 * Makes a separate instance of the module.
 * @param {{ optimised?: boolean }} [options] optimised: compile with all optimisations at once, not only
 *   after the code has run for a while
 * @returns {Promise<Wasm>}
 */
export async function loadWasm({ optimised = false } = {}) {
  if (optimised) setFlagsFromString("--no-liftoff");
  instances += 1;
  // Bindings belong to one instance, so each instance loads its own.
  const url = `${pathToFileURL(join(pkg, "mmscope.js")).href}?instance=${instances}`;
  const { initSync, Engine, read_experiment } = await import(url);
  const { memory } = initSync({ module: readFileSync(join(pkg, "mmscope_bg.wasm")) });
  const read = (/** @type {string} */ json) => {
    const { ok, refused } = JSON.parse(read_experiment(json));
    return ok ? { frames: ok.info.frames } : { faults: refused.refusals };
  };
  return { Engine, memory, read };
}

/**
 * The output of `mmscope resolve`.
 * @typedef {object} Resolved
 * @property {"native" | "wasm"} engine
 * @property {string} experiment its JSON
 * @property {number | null} until_step
 * @property {number | null} until_ns
 * @property {boolean} stepped
 */

/**
 * Runs an experiment to its stop, in the same build as the page, and prints its hash.
 * @param {Wasm} wasm
 * @param {Resolved} resolved
 * @param {{ out: (text: string) => void, err: (text: string) => void }} print
 * @returns {number} exit code
 */
export function hashInWasm({ Engine, read }, resolved, { out, err }) {
  try {
    const reading = read(resolved.experiment);
    if ("faults" in reading) {
      for (const { path, reason } of reading.faults) err(`mmscope: ${path}: ${reason}\n`);
      return BAD_INPUT;
    }
    const engine = new Engine(1);
    engine.open(0, resolved.experiment);
    const slice = resolved.stepped ? 1 : SLICE;
    const stops = [resolved.until_step ?? undefined, resolved.until_ns ?? undefined];
    let advance = engine.run(0, slice, ...stops);
    while (!advance.done) advance = engine.run(0, slice, ...stops);
    const { step, time_ns, ended } = advance.position;
    err(`step ${step}, ${time_ns} ns${ended ? ", ended" : ""}\n`);
    out(`${engine.hash(0)}\n`);
    return 0;
  } catch (error) {
    err(`mmscope: the engine has a fault: ${error instanceof Error ? error.stack : error}\n`);
    return ENGINE_FAULT;
  }
}

/**
 * Tests whether these arguments request a hash from the WebAssembly build.
 * @param {string[]} words
 */
export function asksForWasm([command, ...words]) {
  const isHelp = words.some((word) => word === "--help" || word === "-h");
  const named = words.some(
    (word, index) =>
      word === "--engine=wasm" || (word === "wasm" && words[index - 1] === "--engine"),
  );
  return command === "hash" && named && !isHelp;
}
