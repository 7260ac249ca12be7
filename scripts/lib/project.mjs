// Paths of the project, and functions that run other programs.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const engineDir = join(root, "engine");
export const dist = join(root, "dist");
export const pkg = join(root, "web", "src", "engine", "pkg");
/** The folder of the npm package. */
export const packageDir = join(root, "packages", "mmscope");
export const cacheDir = join(root, ".cache");
/** The output of `mmscope truth`. The page's file has the same name. */
export const truthFile = join(cacheDir, "truth", "truth.json");

/** A failure that the user can fix; only its message is printed, without a stack trace. */
export class Refusal extends Error {}

/** @param {string} name */
export const localBin = (name) => join(root, "node_modules", ".bin", name);

/** The folder of cargo's build results. @returns {string} */
export function cargoTargetDir() {
  const chosen = process.env.CARGO_TARGET_DIR;
  return chosen ? resolve(engineDir, chosen) : join(engineDir, "target");
}

/** @param {number} ms */
export const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] defaults to the project's root
 * @property {Record<string, string | undefined>} [env] added to this process's environment
 * @property {import("node:child_process").StdioOptions} [stdio]
 * @property {boolean} [collect] also return the output
 * @property {boolean} [silent] return the output and show nothing
 *
 * @typedef {object} Ran
 * @property {number} code exit code; 127 when the program did not start, 128 + n after signal n
 * @property {string} out the output in its order, if collected; stdout, if silent
 * @property {string} err stderr, if silent
 */

/**
 * Runs a program to its end. Its output goes to the terminal unless `stdio` says otherwise.
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Ran>}
 */
export function run(program, args, options = {}) {
  const { cwd = root, env = {}, collect = false, silent = false } = options;
  const printed = collect || silent ? "pipe" : "inherit";
  const stdio = options.stdio ?? ["ignore", printed, printed];
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio });
    let out = "";
    let err = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (!silent) process.stdout.write(text);
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      if (silent) {
        err += text;
        return;
      }
      out += text;
      process.stderr.write(text);
    });
    child.on("error", (error) => {
      console.error(`${program} did not start: ${error.message}`);
      resolve({ code: 127, out, err });
    });
    child.on("close", (code, signal) => resolve({ code: exitCode(code, signal), out, err }));
  });
}

/**
 * Runs a program in the foreground: it receives the keyboard input and the signals sent to this
 * process.
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>} exit code
 */
export function runInForeground(program, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
    process.on("SIGINT", () => {}); // The terminal sends the signal to the child, too.
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", (error) => {
      console.error(`${program} did not start: ${error.message}`);
      resolve(127);
    });
    child.on("close", (code, signal) => resolve(exitCode(code, signal)));
  });
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * Runs a script's main function; a `Refusal` prints only its message.
 * @param {() => Promise<number | void>} main returns the exit code
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Numbers the steps, and prints each name at the start and each time at the end. */
export class Steps {
  #number = 0;
  #count;
  #print;

  /**
   * @param {number} count
   * @param {(line: string) => void} [print]
   */
  constructor(count, print = console.log) {
    this.#count = count;
    this.#print = print;
  }

  /**
   * @param {string} name
   * @param {() => Promise<string | void> | string | void} work returns a text to print instead of "done"
   */
  async step(name, work) {
    this.#number += 1;
    this.#print(`[${this.#number}/${this.#count}] ${name}`);
    const started = performance.now();
    const message = (await work()) ?? "done";
    this.#print(`      ${message}, ${seconds(performance.now() - started)}`);
  }
}
