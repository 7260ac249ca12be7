import { expect, type Page, test } from "@playwright/test";
import { choose, goToMoment, isAt, numbersOf, settled } from "./journey";
import { leave } from "./keep";
import { cursorOf, openFirst } from "./links";

const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });

/** A counter in the Values tab. */
async function counterOf(page: Page, name: string): Promise<number> {
  await page.getByRole("tab", { name: "Values" }).click();
  await page.getByRole("searchbox", { name: "Find a counter" }).fill(name);
  const row = page
    .getByRole("table", { name: "Counters" })
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: `Last change of ${name}`, exact: true }) });
  return numbersOf(await row.getByRole("cell").first().textContent())[0] ?? 0;
}

async function hog(page: Page) {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
}

test("every task has a lane, and counters are drawn below the zones", async ({ page }) => {
  await hog(page);
  // The machine has priority. Lanes without space unfold with one press, and the lanes of the workload come
  // last.
  await expect(timeline(page).locator(".lane.task text", { hasText: "hog/1" })).toBeVisible();
  const more = timeline(page).getByRole("button", { name: /^\d+ (more|unchanged) lanes?$/ });
  if (await more.isVisible()) await more.click();
  for (const task of ["kswapd0", "kswapd1", "hog/1"]) {
    await expect(timeline(page).locator(".lane.task text", { hasText: task })).toBeVisible();
  }
  await expect(timeline(page).locator("path.did-reclaiming").first()).toBeAttached();
  await timeline(page).getByRole("button", { name: "Counters" }).click();
  const tracks = dialog(page, "Counters over time");
  await tracks.getByRole("checkbox", { name: /only counters/ }).uncheck();
  await tracks.getByRole("searchbox", { name: "Find a counter" }).fill("pgfault");
  await tracks.getByRole("checkbox", { name: /^pgfault/ }).check();
  await leave(page);
  await goToMoment(page, "hogWakesKswapd");
  const lane = timeline(page).locator(".lane.track");
  await expect(lane).toHaveCount(1);
  await expect(lane.locator("path")).toHaveAttribute("d", /^M/);
  const shown = async () => numbersOf(await lane.locator(".num").textContent())[0];
  await expect.poll(shown).toBe(await counterOf(page, "pgfault"));
});

test("the totals of a range chosen by keyboard equal the growth of the counters", async ({
  page,
}) => {
  await hog(page);
  await page.keyboard.press("i");
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  await page.keyboard.press("o");
  await expect(timeline(page).getByRole("status")).toContainText("scanned", { timeout: 20_000 });
  await timeline(page).getByRole("button", { name: "All totals" }).click();
  const totals = dialog(page, "Totals in the range");
  const grew = async (name: string) => {
    const row = totals.getByRole("row").filter({ hasText: new RegExp(`^${name} `) });
    return numbersOf(await row.getByRole("cell").first().textContent())[0];
  };
  await expect(totals.getByRole("row").nth(3)).toBeVisible({ timeout: 20_000 });
  const found = [await grew("pgfault"), await grew("pswpout")];
  await leave(page);
  // The range begins at boot, where all counters are 0.
  expect(found).toEqual([await counterOf(page, "pgfault"), await counterOf(page, "pswpout")]);
  await timeline(page).getByRole("button", { name: "Clear" }).click();
  await expect(timeline(page).getByRole("button", { name: "All totals" })).toHaveCount(0);
});

test("drags a range along the times, zooms to it, and leaves it", async ({ page }) => {
  await hog(page);
  const row = timeline(page).locator(".range-row");
  const box = await settled(() => row.boundingBox());
  if (!box) throw new Error("there is no row of times");
  await page.mouse.move(box.x + box.width * 0.25, box.y + 6);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 6, { steps: 5 });
  await page.mouse.up();
  await expect(timeline(page).getByRole("status")).toContainText("Range of 50");
  await timeline(page).getByRole("button", { name: "Zoom to range" }).click();
  await expect(timeline(page).locator(".strip-window")).toBeVisible();
  const ticks = timeline(page).locator("svg.chart > g > text.dim");
  await expect(ticks.first()).toContainText(/^5\d|^60/);
  await page.keyboard.press("z");
  await expect(timeline(page).locator(".strip-window")).toHaveCount(0);
  await expect(ticks.last()).toContainText(/^180/);
});

test("bookmarks keep their notes after a reload and lead back to their steps", async ({ page }) => {
  await hog(page);
  const step = await goToMoment(page, "hogWakesKswapd");
  await page.keyboard.press("m");
  await timeline(page)
    .getByRole("button", { name: /^Bookmarks/ })
    .click();
  const note = dialog(page, "Bookmarks").getByRole("textbox", { name: /^Note at/ });
  await note.fill("kswapd is woken here");
  await leave(page);
  // Wait until the address has this moment: before, it has the start, which is the next target.
  await cursorOf(page);
  await page.keyboard.press("Home");
  await isAt(page, 0);
  await cursorOf(page);
  await page.reload();
  const flag = timeline(page).getByRole("button", { name: /kswapd is woken here/ });
  await expect(flag).toBeVisible({ timeout: 20_000 });
  await flag.focus();
  await page.keyboard.press("Enter");
  await isAt(page, step);
  await page.keyboard.press("m");
  await expect(flag).toHaveCount(0);
});

test("shows the memory that stepping back uses and its limit", async ({ page }) => {
  await hog(page);
  await page.keyboard.press("g");
  const words = dialog(page, "Go to").getByText(/^Checkpoints for going back use/);
  await expect(words).toContainText(/use \d+ of 256 MiB/);
  const [used = 999] = numbersOf(await words.textContent());
  expect(used).toBeLessThanOrEqual(256);
});

/** Parts of the timeline below its visible area. */
const outOfSight = (page: Page) =>
  timeline(page).evaluate((box) => {
    const { bottom } = box.getBoundingClientRect();
    const parts = [...box.querySelectorAll(".lane, .lanes-more")];
    return parts
      .filter((part) => part.getBoundingClientRect().bottom > bottom + 0.5)
      .map((part) => part.textContent);
  });

test("shows all lanes and curves, or in a low window those that changed", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await openFirst(page);
  const lanes = timeline(page).locator(".lane");
  await expect(timeline(page).locator(".lane.task")).toHaveCount(6);
  await expect(lanes).toHaveCount(10);
  await expect.poll(() => outOfSight(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  const more = timeline(page).getByRole("button", { name: /^\d+ (more|unchanged) lanes?$/ });
  await expect(more).toBeVisible();
  await expect.poll(() => outOfSight(page)).toEqual([]);
  const [folded = 0] = numbersOf(await more.textContent());
  await expect(lanes).toHaveCount(10 - folded);
  await more.press("Enter");
  await expect(lanes).toHaveCount(10);
  const fold = timeline(page).getByRole("button", { name: "Fold lanes" });
  await expect(fold).toBeFocused();
  await fold.press("Enter");
  await expect(lanes).toHaveCount(10 - folded);
});
