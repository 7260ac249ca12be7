import { defineConfig } from "@playwright/test";
import { BROWSER_ARGS, findBrowser } from "./scripts/lib/browser.mjs";

// `npm run check` finds a free port first; a run by hand takes this one.
const port = Number(process.env.MMSCOPE_PORT ?? 4319);
// A sub-path, because the page must work from any.
const base = "/some/where/";
const url = `http://127.0.0.1:${port}${base}`;
const browser = findBrowser();

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // By hand, what fails once is a fault of the page, and fails. In CI it is run once more, so that a
  // machine that stalls does not turn everything red; the check lists it as flaky.
  retries: process.env.CI ? 1 : 0,
  // A busy machine is slow, not wrong: what never comes fails all the same.
  expect: { timeout: 15_000 },
  timeout: 60_000,
  workers: 2,
  reporter: "list",
  use: {
    baseURL: url,
    // Noting every action of every journey would be a fifth of the time of all; `--trace on` does.
    trace: "off",
    // Every journey is a first visit; e2e/offline.spec.ts is about the second.
    serviceWorkers: "block",
    launchOptions: { args: BROWSER_ARGS, ...(browser ? { executablePath: browser } : {}) },
  },
  projects: [
    {
      name: "desktop",
      testIgnore: "**/*.phone.spec.ts",
      use: { browserName: "chromium", viewport: { width: 1440, height: 900 } },
    },
    {
      name: "phone",
      testMatch: "**/*.phone.spec.ts",
      use: {
        browserName: "chromium",
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      },
    },
  ],
  webServer: {
    command: `node scripts/serve.mjs --port ${port} --base ${base}`,
    url,
    reuseExistingServer: false,
  },
});
