import { expect, type Page, test } from "@playwright/test";
import { pressOn } from "./journey";
import { pack } from "./links";

const LADDER = /^scan priority \d+/;
const batches = (page: Page) => page.locator(".batch").filter({ hasText: /isolated \d+ / });

/** Plays until kswapd works, pauses there, and steps until it holds pages. */
async function stepUntilHeld(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("l");
    await expect(page.getByRole("img", { name: LADDER }).first()).toBeVisible({ timeout: 20_000 });
    await page.keyboard.press("k");
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
    for (let i = 0; i < 150; i += 1) {
      if (await page.locator(".batch .pill.on").count()) return;
      await pressOn(page, "ArrowRight");
    }
    await expect(page.locator(".batch .pill.on").first()).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 90_000 });
}

test("a user plays until kswapd works, then follows a batch page by page", async ({ page }) => {
  test.setTimeout(150_000);
  const link = pack(JSON.stringify({ v: 1, preset: "anon-hog.teach" }));
  await page.goto(`./#/workbench?x=${link}`);
  const lists = page.getByRole("region", { name: /^LRU lists of node 0/ });
  await expect(lists).toContainText("These lists are empty.", { timeout: 20_000 });
  await expect(lists).toContainText("shared by the zones of node 0");
  await expect(page.getByRole("img", { name: LADDER })).toHaveCount(0);

  for (let i = 0; i < 4; i += 1) await page.keyboard.press("]");
  await stepUntilHeld(page);
  const words = await batches(page).allTextContents();
  await expect(async () => {
    await pressOn(page, "ArrowRight");
    expect(await batches(page).allTextContents()).not.toEqual(words);
  }).toPass({ timeout: 30_000, intervals: [0] });

  // Arrow keys read out the pages at the tails, and the map shows their positions.
  const grid = page.getByRole("grid", { name: /^Pages at the tails of the LRU lists of node 0/ });
  await grid.focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "End"]) await page.keyboard.press(key);
  await expect(grid.getByRole("gridcell")).not.toHaveText("no cell selected");
});
