import { expect, type Page, test } from "@playwright/test";
import { leave } from "./keep";
import { openFirst } from "./links";

// Requests of the service worker count, too.
test.use({ serviceWorkers: "allow" });

// A busy machine may take long to start an engine.
test.describe.configure({ timeout: 90_000 });

/** Opens the first page and waits for its first figure. */
async function openHome(page: Page) {
  await page.goto("./");
  await expect(page.getByText(/not above low \(/).first()).toBeVisible({ timeout: 20_000 });
}

/** The console messages of the page and the hosts that it contacts, from now on. */
async function listen(page: Page) {
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { complaints, hosts };
}

test("the workbench contacts no other host, violates no policy, and logs nothing", async ({
  page,
  baseURL,
}) => {
  const { complaints, hosts } = await listen(page);
  await openFirst(page);
  for (const key of ["ArrowRight", "ArrowLeft", "?"]) await page.keyboard.press(key);
  await expect(page.getByRole("dialog")).toBeVisible();
  await leave(page);
  await page.getByRole("button", { name: /theme/ }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([new URL(baseURL ?? "").host]);
});

test("the first page and a lesson contact no other host and log nothing", async ({
  page,
  baseURL,
}) => {
  const { complaints, hosts } = await listen(page);
  await openHome(page);
  await page.getByRole("button", { name: "Run on" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("link", { name: /^Watermarks and kswapd \d/ }).click();
  const film = page
    .getByRole("region", { name: "Prediction", exact: true })
    .filter({ hasText: /streams the whole film/ });
  await film.getByRole("radio", { name: /^kswapd/ }).check();
  await film.getByRole("button", { name: "Run it" }).click();
  await expect(film.getByText(/^Not this time/)).toBeVisible({ timeout: 20_000 });
  await page.getByRole("link", { name: "mmscope: home" }).click();
  await expect(page.getByRole("button", { name: "Run on" })).toBeVisible();
  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([new URL(baseURL ?? "").host]);
});

/** The largest layout shift while a page loads, as browsers score it; "good" ends at 0.1. */
const MOST_SHIFT = 0.02;

/** Pages by address, with an element that is there once they have loaded. */
const ARRIVALS = {
  workbench: ["#/workbench", /^Node 0$/],
  home: ["#/", /^Node 0$/],
  lesson: ["#/lesson/watermarks-and-kswapd", /^Node 0$/],
  reports: ["#/report", /reclaim/i],
} as const;

for (const [name, ...sizes] of [
  ["workbench", [1920, 1080], [1440, 900], [1024, 768], [390, 844]],
  ["home", [1920, 1080], [1440, 900], [1024, 768], [600, 900], [390, 844]],
  ["lesson", [1440, 900], [1024, 768], [800, 900], [390, 844]],
  ["reports", [1280, 800]],
] as const) {
  const [hash, part] = ARRIVALS[name];
  for (const [width, height] of sizes) {
    test(`nothing moves while the ${name} loads at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript(() => {
        type Shift = PerformanceEntry & { value: number; sources: { node: Element | null }[] };
        const seen = { score: 0, moved: [] as string[] };
        Object.assign(window, { seen });
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries() as Shift[]) {
            seen.score += value;
            for (const { node } of sources) seen.moved.push(`${value}: ${node?.className}`);
          }
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(`./${hash}`);
      await expect(page.getByRole("region", { name: part }).first()).toBeVisible({
        timeout: 20_000,
      });
      // Wait for the parts that load after the machine, and for its last change.
      await page.waitForTimeout(1000);
      const { score, moved } = await page.evaluate(
        () => (window as never as { seen: { score: number; moved: string[] } }).seen,
      );
      expect(score, moved.join("\n")).toBeLessThan(MOST_SHIFT);
    });
  }
}
