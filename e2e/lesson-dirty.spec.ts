import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/dirty-pages";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("a reader predicts the content of the USB stick, and the run marks each of the three saves", async ({
  page,
}) => {
  await page.goto(LESSON);
  const pulled = ask(page, /How much of the recording is on it/);
  await pulled.getByRole("radio", { name: /^All of it/ }).check();
  await pulled.getByRole("button", { name: "Run it" }).click();
  await expect(pulled.getByText("Not this time. You said: All of it.")).toBeVisible();
  await expect(pulled.getByText(/The stick has received 0 KiB/)).toBeVisible();

  await pulled.getByRole("button", { name: "480 KiB, then fsync" }).click();
  await pulled.getByRole("radio", { name: /^All of it/ }).check();
  await pulled.getByRole("button", { name: "Run it" }).click();
  await expect(pulled.getByText("Right.")).toBeVisible();
  await expect(pulled.getByText(/The stick has received 480 KiB/)).toBeVisible();
});

test("the stage shows dirty pages and the writer's first sleep, and axe finds no violation", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const counters = stageOf(page).getByLabel("Counters");
  await page.getByRole("button", { name: "At 206 dirty pages" }).click();
  await expect(counters.getByTitle("nr_dirty", { exact: true })).toContainText("206");
  await page.getByRole("button", { name: "At 320 pages" }).click();
  await expect(counters.getByTitle("nr_writeback", { exact: true })).toContainText("208");
  await expect(
    stageOf(page)
      .getByText(/lasts 9 jiffies/)
      .first(),
  ).toBeVisible();
  await axeFindsNothing(page);
});

test("a reader chooses two limits that meet all three conditions", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await expect(build.getByText(/smaller than the background limit/)).toBeVisible();
  const background = build.getByRole("group", { name: "vm.dirty_background_ratio" });
  await background.getByRole("button", { name: "1", exact: true }).click();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
});
