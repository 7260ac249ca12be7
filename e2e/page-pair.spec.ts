// Two pages chosen on the stage, by keyboard and by mouse: which one reclaim reaches first, and why.

import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { pack } from "./links";

const expect = quick.configure({ timeout: 20_000 });

/** Opens the streaming reader on 6.12 with classic lists or generations, after some time. */
async function openAt(page: Page, lists: "0" | "7", seconds: string) {
  const changes = [[["tunables", "lru_gen.enabled"], lists]];
  const x = pack(JSON.stringify({ v: 6, preset: "hot-set-and-stream.teach", changes }));
  await page.goto(`./#/workbench?x=${x}`);
  await page.getByTitle("Go to a step or time").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(seconds);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
}

const pairOf = (page: Page) =>
  page.getByRole("region", { name: "Which page reclaim reaches first" });

test("compares two pages of generations, chosen by keyboard", async ({ page }) => {
  test.slow();
  await openAt(page, "7", "0.5");
  const grid = page.getByRole("grid", { name: /^Pages of the generations of node 0/ });
  await grid.focus();
  // The last cell is an isolated page; the next anonymous page to be evicted is above it.
  for (const key of ["End", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await expect(pairOf(page)).toHaveCount(0);
  for (const key of ["ArrowLeft", "Enter"]) await page.keyboard.press(key);
  const pair = pairOf(page);
  await expect(pair).toContainText(/Reclaim reaches 0x\w+ first: in the same generation/);
  await expect(pair.getByText(/page of generation \d+.*opened .* ago.*tier \d/)).toHaveCount(2);
  await expect(pair.getByText(/Searching/)).toHaveCount(0);
  await axeFindsNothing(page, { part: ".page-pair" });
  await pair.getByRole("button", { name: "Close the comparison of both pages" }).click();
  await expect(pair).toHaveCount(0);
});

test("compares two pages of classic lists, chosen by mouse", async ({ page }) => {
  test.slow();
  await openAt(page, "0", "0.5");
  const grid = page.getByRole("grid", { name: /^Pages at the tails of the LRU lists of node 0/ });
  const box = await grid.boundingBox();
  if (!box) throw new Error("the lists are not visible");
  await grid.click({ position: { x: box.width - 10, y: 8 } });
  await grid.click({ position: { x: box.width - 60, y: 8 } });
  const pair = pairOf(page);
  await expect(pair).toContainText(/Reclaim reaches 0x\w+ first: on the same list/);
  await expect(pair.getByText(/is on the inactive file list/)).toHaveCount(2);
  await expect(pair.getByText(/Searching/)).toHaveCount(0);
});
