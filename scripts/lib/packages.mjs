// Checks whether the installed npm packages match the lock file; if not, runs `npm ci`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal, root, run } from "./project.mjs";

/**
 * @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, devOptional?: boolean }> }} Lock
 */

/**
 * @param {Lock} locked package-lock.json
 * @param {Lock | undefined} installed node_modules/.package-lock.json, the last file that npm writes
 * @returns {boolean} optional packages may be missing, because they contain programs for other
 * platforms
 */
export function arePackagesInstalled(locked, installed) {
  if (!installed?.packages) return false;
  const there = installed.packages;
  return Object.entries(locked.packages ?? {}).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" ||
      there[path]?.version === version ||
      ((optional || devOptional) && there[path] === undefined),
  );
}

/** @returns {boolean} */
export function packagesReady() {
  const locked = readLock(join(root, "package-lock.json"));
  const installed = readLock(join(root, "node_modules", ".package-lock.json"));
  return locked !== undefined && arePackagesInstalled(locked, installed);
}

/** @returns {Promise<string>} */
export async function ensurePackages() {
  if (packagesReady()) return "up to date";
  const { code } = await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
  if (code !== 0) {
    throw new Refusal("The npm packages could not be installed: see what `npm ci` says above.");
  }
  return "installed";
}

/**
 * @param {string} path
 * @returns {Lock | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
