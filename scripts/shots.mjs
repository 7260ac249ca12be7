// npm run shots [-- NAME ...]: pictures of every screen in e2e/shots.list.mjs, in shots/.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BROWSER_ARGS } from "./lib/browser.mjs";
import { buildEngine, buildPage } from "./lib/builds.mjs";
import { dist, Refusal, root, runMain, Steps } from "./lib/project.mjs";
import { listen, staticServer } from "./lib/server.mjs";
import { SET_UP_STEPS, setUp, setUpBrowser } from "./lib/setup.mjs";

const SCHEMES = /** @type {const} */ (["light", "dark"]);
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const folder = join(root, "shots");

await runMain(async () => {
  const steps = new Steps(SET_UP_STEPS + 4);
  await setUp(steps);
  await setUpBrowser(steps);
  await steps.step("Build the engine", () => buildEngine("release"));
  await steps.step("Build the page", buildPage);
  let complaints = 0;
  await steps.step("Take pictures", async () => {
    const server = staticServer({ folder: dist });
    const url = `http://127.0.0.1:${await listen(server, { port: 4373 })}/`;
    complaints = await takeAll(url, await chooseShots(process.argv.slice(2)));
    server.close();
    return `shots/, ${complaints} complaints from the page`;
  });
  return complaints > 0 ? 1 : 0;
});

/** @param {string[]} names all screenshots if empty */
async function chooseShots(names) {
  const { shots } = await import("../e2e/shots.list.mjs");
  const unknown = names.filter((name) => !shots.some((shot) => shot.name === name));
  if (unknown.length > 0) {
    const known = shots.map((shot) => shot.name).join(", ");
    throw new Refusal(`There is no shot ${unknown.join(", ")}: choose from ${known}.`);
  }
  return shots.filter(({ name }) => names.length === 0 || names.includes(name));
}

/**
 * @param {string} url
 * @param {import("../e2e/shots.list.mjs").Shot[]} shots
 * @returns {Promise<number>} number of console messages
 */
async function takeAll(url, shots) {
  const { chromium } = await import("@playwright/test");
  mkdirSync(folder, { recursive: true });
  const executablePath = process.env.MMSCOPE_CHROMIUM ?? chromium.executablePath();
  const browser = await chromium.launch({ args: BROWSER_ARGS, executablePath });
  let complaints = 0;
  for (const shot of shots) {
    for (const colorScheme of SCHEMES) {
      for (const viewport of SIZES) {
        complaints += await take(browser, url, shot, { colorScheme, viewport });
      }
    }
  }
  await browser.close();
  return complaints;
}

/**
 * @param {import("@playwright/test").Browser} browser
 * @param {string} url
 * @param {import("../e2e/shots.list.mjs").Shot} shot
 * @param {{ colorScheme: "light" | "dark", viewport: { width: number, height: number } }} look
 * @returns {Promise<number>} number of console messages
 */
async function take(browser, url, shot, { colorScheme, viewport }) {
  const file = `${shot.name}-${colorScheme}-${viewport.width}.png`;
  const page = await browser.newPage({ colorScheme, viewport, reducedMotion: "reduce" });
  let complaints = 0;
  const complain = (/** @type {string} */ text) => {
    complaints += 1;
    console.log(`      ${file}: ${text}`);
  };
  page.on("pageerror", (error) => complain(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complain(message.text());
  });
  try {
    await page.goto(url + shot.address);
    await shot.prepare?.(page);
    await atRest(page);
  } catch (error) {
    complain(String(error));
  }
  await page.screenshot({ path: join(folder, file) });
  console.log(`      ${file}`);
  await page.close();
  return complaints;
}

/** Waits until all requests have ended and their results are shown. @param {import("@playwright/test").Page} page */
async function atRest(page) {
  await page.waitForLoadState("networkidle");
  await page.locator("#root > *").first().waitFor({ state: "attached" });
  await page.locator(".skeleton, .stage.waits").waitFor({ state: "detached" });
}
