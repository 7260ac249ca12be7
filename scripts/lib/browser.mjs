// Finds a Chromium for the tests: one that is installed, else Playwright's, else Debian's package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { localBin, Refusal, run } from "./project.mjs";

/**
 * The first of these that is there. The headless shell is the same browser without windows, tabs and
 * profiles: a page that opens there costs half the processor time.
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
 * Software rendering, the same on every machine, and a browser that minds its own business. Without a
 * graphics process: one that works in software takes a quarter of the journeys' time, and no picture
 * of the page needs it.
 */
export const BROWSER_ARGS = [
  "--disable-gpu",
  // Text is as wide as it was drawn, not as one machine's settings round it.
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

/** Playwright's own download, when it is there. @returns {string | undefined} */
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
  if (code !== 0) await install("chromium"); // Older releases have no shell.
}
