import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/pages-and-frames";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

/** Free blocks of an order on the stage, by migrate type. */
const cellOf = (page: Page, type: string, order: number) =>
  stageOf(page)
    .getByRole("table", { name: /^Free blocks of Normal on node 0/ })
    .getByRole("row", { name: new RegExp(`^${type}`) })
    .getByRole("cell")
    .nth(order);

test("a wrong answer about malloc shows how many frames there are", async ({ page }) => {
  await page.goto(LESSON);
  const malloc = ask(page, /called malloc for 1 MiB/);
  await expect(page.getByText("addresses but no page frames")).toHaveCount(0);
  await malloc.getByRole("radio", { name: /^256/ }).check();
  await malloc.getByRole("button", { name: "Run it" }).click();
  await expect(malloc.getByText("Not this time. You said: 256.")).toBeVisible();
  await expect(malloc.getByText(/has 0 page frames/)).toBeVisible();
  await expect(page.getByText("addresses but no page frames")).toBeVisible();

  await malloc.getByRole("button", { name: "256 pages" }).click();
  await malloc.getByRole("radio", { name: /^256/ }).check();
  await malloc.getByRole("button", { name: "Run it" }).click();
  await expect(malloc.getByText("Right.")).toBeVisible();
});

test("shows the free lists of a step beside the text", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  await page.getByRole("button", { name: "At the start", exact: true }).click();
  await expect(cellOf(page, "movable", 10)).toHaveText("4");
  await page.getByRole("button", { name: "13 free blocks" }).click();
  await expect(cellOf(page, "movable", 10)).toContainText("3");
  await expect(cellOf(page, "unmovable", 0)).toContainText("1");
  await page.getByRole("button", { name: "2,051 frames are free" }).click();
  await expect(cellOf(page, "movable", 0)).toContainText("2,045");
  await expect(cellOf(page, "movable", 3)).toContainText("·");
  await page.getByRole("button", { name: "15 frames are free, but" }).click();
  await expect(stageOf(page)).toContainText("15 free pages, but no block of order 3");
});

test("builds a layout in which no request for eight frames succeeds", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await build.getByRole("button", { name: "7 pages" }).click();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(build.getByText(/3,583 frames are free/)).toBeVisible();
});

test("axe finds no violation in the lesson", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(LESSON);
  await showAll(page);
  await expect(stageOf(page).getByRole("button", { name: "Step", exact: true })).toBeEnabled();
  await axeFindsNothing(page);
});
