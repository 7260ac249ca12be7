import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/old-pages-young-pages";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("marks the answer about the dictionary that survives and asks again with the generations", async ({
  page,
}) => {
  await page.goto(LESSON);
  const night = ask(page, /How much of its dictionaries does the server still have/);
  await night.scrollIntoViewIfNeeded();
  await night.getByRole("radio", { name: /^Both dictionaries/ }).check();
  await night.getByRole("button", { name: "Run it" }).click();
  await expect(night.getByText("Not this time. You said: both dictionaries.")).toBeVisible();
  await expect(night.getByText(/The 406 pages of Latin had not been used again/)).toBeVisible();
  await night.getByRole("button", { name: "generations", exact: true }).click();
  await night.getByRole("radio", { name: /^Both dictionaries/ }).check();
  await night.getByRole("button", { name: "Run it" }).click();
  await expect(night.getByText("Right.")).toBeVisible();
});

test("shows the generations and a walk over page tables, and axe finds no violation", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: /^Here generation 3 holds the 812 pages/ }).click();
  await expect(stage.getByRole("region", { name: /generations of/i })).toBeVisible();
  await page.getByRole("button", { name: "At the second aging", exact: true }).click();
  await expect(stage.locator(".nar")).toContainText(/checked 812 entries and found 812 used/);
  const turn = page.getByRole("region", { name: "Change it" });
  await turn.getByRole("button", { name: "two lists" }).click();
  await expect(turn.getByText(/read 0 pages of its index from the disk again/)).toBeVisible();
  await turn.getByRole("button", { name: "generations" }).click();
  await expect(turn.getByText(/read 406 pages of its index from the disk again/)).toBeVisible();
  await axeFindsNothing(page);
});

test("a reader finds a workload for which the two lists read less", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  const turn = (part: string, value: string) =>
    build
      .getByRole("group", { name: part, exact: true })
      .getByRole("button", { name: value, exact: true })
      .click();
  await turn("each dictionary", "10 % of memory");
  await turn("index read", "twice");
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(build.getByText(/the active list protected the index at once/)).toBeVisible();
});
