import { type Page, expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/when-kswapd-shrinks-a-zone-that-was-fine";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("the run contradicts the author’s argument, and the patch reverses the result", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const age = ask(page, /Which zone’s pages are evicted sooner/);
  await age.scrollIntoViewIfNeeded();
  await age.getByRole("radio", { name: /^Those of DMA32/ }).check();
  await age.getByRole("button", { name: "Run it" }).click();
  await expect(age.getByText("Not this time. You said: Those of DMA32.")).toBeVisible();
  await expect(age.getByText(/pages in DMA32, which has 1,008/)).toBeVisible();

  await age.getByRole("button", { name: "checklow-v2r14", exact: true }).click();
  await age.getByRole("radio", { name: /^Those of Normal/ }).check();
  await age.getByRole("button", { name: "Run it" }).click();
  await expect(age.getByText("Right.")).toBeVisible();
  await expect(age.getByText(/It scanned 0 in DMA32/)).toBeVisible();
});

test("the stage shows both checks of a zone and accepts a reserve with spaces in its value", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: "98 pages are not above 72 + 11 + 38" }).click();
  await expect(stage.getByText(/gap 11 \+ reserve 38: shrink it/).first()).toBeVisible();
  await page.getByRole("button", { name: "98 is above 72" }).click();
  await expect(stage.getByText(/skipped, despite its lowmem_reserve of 38/).first()).toBeVisible();

  const knob = page
    .getByRole("region", { name: "Change it" })
    .filter({ hasText: "vm.lowmem_reserve_ratio" });
  await knob.getByRole("button", { name: "38 pages" }).click();
  await expect(knob.getByText(/scanned 0 there\. 98 are free\./)).toBeVisible();
  await knob.getByRole("button", { name: "0 pages", exact: true }).click();
  await expect(knob.getByText(/scanned [1-9][\d,]* there/)).toBeVisible();
});

test("a reader builds a machine on which the patch saves disk work", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await expect(build.getByText(/The file fits into memory/)).toBeVisible();
  await build.getByRole("button", { name: "twice memory" }).click();
  await build.getByRole("button", { name: "38 pages" }).click();
  await expect(build.getByText("Not yet.")).toBeHidden();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(build.getByText(/The contents of DMA32 stay in memory/)).toBeVisible();
});

test("shows the published rows with all their digits", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const table = page.getByRole("table", { name: "tiobench, published" });
  await expect(table.getByRole("row", { name: /SeqRead-MB\/sec-1 / })).toContainText("140.63");
  await expect(table.getByRole("row")).toHaveCount(4);
  await page.getByRole("link", { name: "Run it simulated" }).click();
  await expect(
    page.getByRole("heading", { name: "tiobench, published and simulated", level: 1 }),
  ).toBeVisible();
});
