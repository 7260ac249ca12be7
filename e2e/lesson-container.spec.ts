import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/a-container-at-its-limit";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("marks the answer about a log larger than the limit and asks again without a limit", async ({
  page,
}) => {
  await page.goto(LESSON);
  const log = ask(page, /What happens/);
  await log.scrollIntoViewIfNeeded();
  await log.getByRole("radio", { name: /^A program in the container is killed/ }).check();
  await log.getByRole("button", { name: "Run it" }).click();
  await expect(log.getByText(/^Not this time\./)).toBeVisible();
  await expect(log.getByText(/Each time, reclaim evicted pages of the log/)).toBeVisible();
  await log.getByRole("button", { name: "no limit", exact: true }).click();
  await log.getByRole("radio", { name: /memory.current grows beyond 4 MiB/ }).check();
  await log.getByRole("button", { name: "Run it" }).click();
  await expect(log.getByText("Right.")).toBeVisible();
});

test("shows the container at its limit and its victim, and axe finds no violation", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: "At the limit the charge fails", exact: true }).click();
  await expect(stage.getByRole("group", { name: /shop/ })).toBeVisible();
  await page.getByRole("button", { name: /^The OOM killer of the container chooses/ }).click();
  await expect(stage.locator(".nar")).toContainText(/web/);
  await axeFindsNothing(page);
});

test("a reader sets limits that fit a quiet and a busy day", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  const limit = build.getByRole("group", { name: "memory.max", exact: true });
  await limit.getByRole("button", { name: "5 MiB", exact: true }).click();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
});
