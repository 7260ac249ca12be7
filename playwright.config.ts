import { defineConfig } from "@playwright/test";
import { BROWSER_ARGS, findBrowser } from "./scripts/lib/browser.mjs";

// `npm run check` finds a free port first; a manual run uses this port.
const port = Number(process.env.MMSCOPE_PORT ?? 4319);
// A sub-path, because the page must work under any path.
const base = "/some/where/";
const url = `http://127.0.0.1:${port}${base}`;
const browser = findBrowser();

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // In a manual run, a failed journey is not repeated. CI repeats a failed journey once, so that a
  // stalled machine does not fail the whole check; the check lists the journey as flaky.
  retries: process.env.CI ? 1 : 0,
  // The timeout is long because a busy machine may be slow. A condition that never becomes true
  // still fails.
  expect: { timeout: 15_000 },
  timeout: 60_000,
  workers: 2,
  reporter: "list",
  use: {
    baseURL: url,
    // Tracing every action would take a fifth of the total time; `--trace on` enables it.
    trace: "off",
    // Every journey is a first visit; e2e/offline.spec.ts covers later visits.
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
