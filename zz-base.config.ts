import { defineConfig } from "@playwright/test";
import { BROWSER_ARGS } from "/tmp/base/scripts/lib/browser.mjs";
const url = "http://127.0.0.1:4512/some/where/";
export default defineConfig({
  testDir: "/tmp/wt/tests/e2e", testIgnore: "**/*.phone.spec.ts", timeout: 60_000, expect: { timeout: 15_000 }, workers: 2, fullyParallel: true, reporter: "list", outputDir: "/tmp/maker/tr",
  use: { baseURL: url, browserName: "chromium", viewport: { width: 1440, height: 900 }, launchOptions: { args: BROWSER_ARGS, executablePath: "/usr/bin/chromium" } },
  webServer: { command: "cd /tmp/base && node scripts/serve.mjs --port 4512 --base /some/where/", url, reuseExistingServer: true },
});
