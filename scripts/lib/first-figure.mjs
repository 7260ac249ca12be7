// Measures how long a visitor waits for the first working figure, over a line of 10 Mbit/s.

import { BROWSER_ARGS } from "./browser.mjs";
import { dist } from "./project.mjs";
import { Line, listen, staticServer } from "./server.mjs";

/** The line's speed, and the target for the longest wait. */
export const LINE_MBIT_PER_S = 10;
export const AIM_MS = 2500;

/** The pages where a visit may begin. */
const PAGES = {
  home: "",
  workbench: "#/workbench",
  lesson: "#/lesson/watermarks-and-kswapd",
};

/**
 * Milliseconds from the first request until a running engine's machine is drawn. Each visit has an empty
 * cache.
 * @param {number} visits
 * @param {(line: string) => void} say
 * @returns {Promise<Record<keyof typeof PAGES, number[]>>}
 */
export async function measureFirstFigures(visits, say) {
  const { chromium } = await import("@playwright/test");
  const executablePath = process.env.MMSCOPE_CHROMIUM ?? chromium.executablePath();
  const browser = await chromium.launch({ args: BROWSER_ARGS, executablePath });
  const server = staticServer({ folder: dist, line: new Line(LINE_MBIT_PER_S) });
  const url = `http://127.0.0.1:${await listen(server, { port: 4383 })}/`;
  const figures = { home: [], workbench: [], lesson: [] };
  for (const [name, address] of Object.entries(PAGES)) {
    say(`first figure: ${name}`);
    for (let visit = 0; visit < visits; visit += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${url}${address}`, { waitUntil: "commit" });
      const alive = await page.waitForFunction(
        () => {
          const figure = document.querySelector('[aria-label^="Zone Normal on node 0"]');
          return figure?.checkVisibility() ? performance.now() : null;
        },
        undefined,
        { polling: "raf" },
      );
      /** @type {number[]} */ (figures[/** @type {keyof typeof PAGES} */ (name)]).push(
        Number(await alive.jsonValue()),
      );
      await context.close();
    }
  }
  await browser.close();
  server.close();
  return figures;
}
