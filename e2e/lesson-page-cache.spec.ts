import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/page-cache";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("marks the answer about free memory after a program ends and asks again for another program", async ({
  page,
}) => {
  await page.goto(LESSON);
  const ends = ask(page, /How much memory is free after that/);
  await ends.scrollIntoViewIfNeeded();
  await ends.getByRole("radio", { name: /^Nearly all of it/ }).check();
  await ends.getByRole("button", { name: "Run it" }).click();
  await expect(ends.getByText("Not this time. You said: nearly all of it.")).toBeVisible();
  await expect(ends.getByText(/still hold parts of the log/)).toBeVisible();
  await ends.getByRole("button", { name: "sort", exact: true }).click();
  await ends.getByRole("radio", { name: /^Nearly all of it/ }).check();
  await ends.getByRole("button", { name: "Run it" }).click();
  await expect(ends.getByText("Right.")).toBeVisible();
});

test("shows readahead for two orders of reading and the lists of the index", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const turn = page.getByRole("region", { name: "Change it" });
  await turn.getByRole("button", { name: "at random" }).click();
  await expect(turn.getByText(/The disk delivered 64 KiB/)).toBeVisible();
  await turn.getByRole("button", { name: "in order" }).click();
  await expect(turn.getByText(/The disk delivered 240 KiB/)).toBeVisible();
  await page.getByRole("button", { name: /reads its index for the second time/ }).click();
  await expect(stageOf(page).getByText("203", { exact: true }).first()).toBeVisible();
  await axeFindsNothing(page);
});

test("a reader builds a machine on which the index survives the backup", async ({ page }) => {
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
  await turn("mail server", "40 %");
  await turn("index", "20 %");
  await turn("index read", "twice");
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(build.getByText(/evicted only pages of its own archive/)).toBeVisible();
});
