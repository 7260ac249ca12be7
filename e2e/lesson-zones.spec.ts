import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/nodes-and-zones";

test("the engine marks an answer as wrong, and the stage shows DMA32 refused with 190 free pages", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const ask = questionWith(page, /How many pages of DMA32 are free/);
  await ask.scrollIntoViewIfNeeded();
  await ask.getByRole("radio", { name: /^30/ }).check();
  await ask.getByRole("button", { name: "Run it" }).click();
  await expect(ask.getByText("Not this time. You said: 30.")).toBeVisible();
  await expect(ask.getByText(/190 pages are free: 30 for the low watermark/)).toBeVisible();

  await page.getByRole("button", { name: "190 free pages" }).click();
  const stage = page.getByRole("complementary", { name: "Live stage" });
  await expect(stage.getByRole("img", { name: /^Zone DMA32 on node 0: 190 of/ })).toBeVisible();
  await axeFindsNothing(page);
});

const questionWith = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });
