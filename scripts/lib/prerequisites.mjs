// Tests whether everything that the user must install is present. It uses only Node's own modules,
// and no feature newer than Node 16, so that an old Node prints the message instead of a stack
// trace.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { engineDir, Refusal, run } from "./project.mjs";

/** The first supported minor version of each older release line. */
const NODE_FLOORS = [
  [20, 19],
  [22, 13],
];
/** The current long-term release. Every later version of Node works. */
const NODE_LTS = 24;
const WASM_TARGET = "wasm32-unknown-unknown";

/**
 * @param {string} version as in `process.versions.node`
 * @returns {boolean}
 */
export function isNodeRecent(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= NODE_LTS) return true;
  return NODE_FLOORS.some(([line, floor = 0]) => major === line && minor >= floor);
}

/**
 * @param {{ node: string, answers: (program: string) => boolean }} machine
 * @returns {string[]} one sentence for each missing program
 */
export function missing({ node, answers }) {
  const sentences = [];
  if (!isNodeRecent(node)) {
    sentences.push(
      `Node ${NODE_FLOORS.map((floor) => floor.join(".")).join(", ")} or ${NODE_LTS} and newer is needed and this is ${node}: install the current LTS, Node ${NODE_LTS}, from https://nodejs.org.`,
    );
  }
  if (!answers("cargo")) {
    sentences.push("Rust is missing: install rustup from https://rustup.rs.");
  }
  if (!answers("cc")) {
    sentences.push(
      "A C compiler is missing: install one that answers to `cc` (Debian and Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; macOS: xcode-select --install).",
    );
  }
  return sentences;
}

/** Throws the sentences of all missing programs. */
export function demandPrerequisites() {
  findRustup();
  const answers = (/** @type {string} */ program) =>
    spawnSync(program, ["--version"], { cwd: engineDir, stdio: "ignore" }).status === 0;
  const sentences = missing({ node: process.versions.node, answers });
  if (sentences.length > 0) throw new Refusal(sentences.join("\n"));
}

/** rustup adds itself to the PATH of the *next* shell, so it may be missing in this one. */
export function findRustup() {
  const bin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin");
  const path = process.env.PATH ?? "";
  if (existsSync(bin) && !path.split(delimiter).includes(bin)) {
    process.env.PATH = path + delimiter + bin;
  }
}

/**
 * Adds missing parts of the pinned toolchain: the browser's target, and for checks rustfmt and clippy.
 * @param {{ forChecks: boolean }} options
 * @returns {Promise<string>}
 */
export async function ensureToolchain({ forChecks }) {
  const sysroot = spawnSync("rustc", ["--print", "sysroot"], { cwd: engineDir, encoding: "utf8" });
  const base = sysroot.stdout?.trim() ?? "";
  const hasTarget = existsSync(join(base, "lib", "rustlib", WASM_TARGET));
  const hasTools = ["cargo-fmt", "cargo-clippy"].every((tool) =>
    existsSync(join(base, "bin", tool)),
  );
  if (!hasTarget) await rustup(["target", "add", WASM_TARGET]);
  if (forChecks && !hasTools) await rustup(["component", "add", "rustfmt", "clippy"]);
  return hasTarget && (hasTools || !forChecks) ? "up to date" : "added";
}

/** @param {string[]} args */
async function rustup(args) {
  const { code } = await run("rustup", args, { cwd: engineDir });
  if (code !== 0) {
    throw new Refusal(
      `Rust lacks a part, and \`rustup ${args.join(" ")}\` failed: run it in engine/ yourself.`,
    );
  }
}
