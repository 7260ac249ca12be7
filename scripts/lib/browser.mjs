// Finds a Chromium for the tests: an installed one, otherwise Playwright's, otherwise Debian's package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { localBin, Refusal, run } from "./project.mjs";

/**
 * The first of these that exists is used. The headless shell is the same browser without windows,
 * tabs and profiles: opening a page costs half the processor time.
 */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const MAC_APPS = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Software rendering, so that pictures are the same on every machine, and no background services.
 * There is no graphics process: with software rendering it would take a quarter of the journeys'
 * time, and no screenshot of the page needs it.
 */
export const BROWSER_ARGS = [
  "--disable-gpu",
  // Makes text widths depend on the font only, not on the machine's rounding settings.
  "--font-render-hinting=none",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * @typedef {object} Machine
 * @property {Record<string, string | undefined>} env
 * @property {(path: string) => boolean} exists
 *
 * @param {Machine} [machine]
 * @returns {string | undefined} an installed browser
 */
export function findBrowser({ env, exists } = { env: process.env, exists: existsSync }) {
  const named = [env.MMSCOPE_CHROMIUM, env.CHROMIUM_PATH];
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...named, ...onPath, ...MAC_APPS].find((path) => path !== undefined && exists(path));
}

/** @returns {Promise<string>} its path */
export async function ensureBrowser() {
  const found = findBrowser() ?? findPlaywrights();
  if (found) return found;
  await run(localBin("playwright"), ["install", "chromium"]);
  const downloaded = findPlaywrights();
  if (downloaded) return downloaded;
  await installDebians();
  const installed = findBrowser();
  if (installed) return installed;
  throw new Refusal(
    "No browser for the tests: install Chromium or Chrome, or name one in the environment variable CHROMIUM_PATH.",
  );
}

/** The browser that Playwright has downloaded, if it exists. @returns {string | undefined} */
function findPlaywrights() {
  const { chromium } = createRequire(import.meta.url)("@playwright/test");
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

async function installDebians() {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log("Installing the distribution's Chromium instead ...");
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  /** @param {string} name */
  const install = (name) => run("apt-get", ["install", "-y", "-qq", name], { env });
  const { code } = await install("chromium-headless-shell");
  if (code !== 0) await install("chromium"); // Older releases have no headless shell.
}
