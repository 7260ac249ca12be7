// Tests whether an output was made from the present inputs. It compares contents instead of
// modification times, which mean nothing after a fresh clone or a change of branch.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { cacheDir, root } from "./project.mjs";

const GENERATED = new Set(["target", "node_modules", ".git", "dist", ".cache"]);

/**
 * Every file below a path, in the same order on every machine; generated folders are skipped.
 * @param {string} path a folder or a file; a missing one has no files
 * @returns {string[]}
 */
export function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true }).filter(
    (entry) => !(entry.isDirectory() && GENERATED.has(entry.name)),
  );
  return names
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

/**
 * @param {string[]} paths folders and files
 * @param {string} [base] paths are hashed relative to this
 * @returns {string} a hash of every path and content
 */
export function fingerprint(paths, base = root) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesBelow)) {
    const content = readFileSync(file);
    hash.update(`${relative(base, file).split(sep).join("/")}\0${content.length}\0`);
    hash.update(content);
  }
  return hash.digest("hex");
}

/**
 * Makes outputs from inputs unless they are up to date.
 * @param {object} product
 * @param {string} product.name
 * @param {string} product.variant a setting outside the inputs that changes the output, as "release"
 * @param {string[]} [product.accepts] variants that can replace this one
 * @param {string[]} product.inputs
 * @param {string[]} product.outputs
 * @param {() => Promise<void>} make
 * @param {string} [folder] the folder of the stamp files
 * @returns {Promise<string | undefined>} "up to date", or undefined if it was made
 */
export async function makeUnlessFresh(product, make, folder = join(cacheDir, "fresh")) {
  const { name, variant, accepts = [], inputs, outputs } = product;
  const note = join(folder, `${name}.json`);
  const before = fingerprint(inputs);
  const known = readNote(note);
  const isKnown =
    known?.inputs === before &&
    [variant, ...accepts].includes(known.variant) &&
    outputs.every((output) => existsSync(output)) &&
    known.outputs === fingerprint(outputs);
  if (isKnown) return "up to date";
  await make();
  mkdirSync(folder, { recursive: true });
  const made = { variant, inputs: before, outputs: fingerprint(outputs) };
  writeFileSync(note, `${JSON.stringify(made, null, 2)}\n`);
  return undefined;
}

/**
 * @param {string} path
 * @returns {{ variant: string, inputs: string, outputs: string } | undefined}
 */
function readNote(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // The stamp is missing or truncated, so the output is made again.
  }
}
