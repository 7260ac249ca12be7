import { type Page, expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";
import { documentOf } from "./links";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/the-stall-that-was-not-the-disk";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

const SHOP = /How many does it have 32 ms later/;
const COUNTERS = /Which of the two counters/;
const FULL = /what does the shop pay/;

test("the first page leads to the lesson", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("link", { name: /^Local memory first/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Local memory first");
  await expect(page.getByRole("img", { name: /^Zone Normal on node 1/ })).toBeVisible();
});

test("the run marks a wrong prediction and asks again for another kernel", async ({ page }) => {
  await page.goto(LESSON);
  const shop = ask(page, SHOP);
  await shop.getByRole("radio", { name: /^All 200/ }).check();
  await shop.getByRole("button", { name: "Run it" }).click();
  await expect(shop.getByText("Not this time. You said: all 200.")).toBeVisible();
  await expect(
    shop.getByText(/In the whole run it scanned [\d,]+ pages and freed 0\./),
  ).toBeVisible();
  const ends = /gives up at priority 0 with 0 of 1 page reclaimed \(ZONE_RECLAIM_SOME\)/;
  await expect(shop.getByText(ends)).toBeVisible();
  await expect(stageOf(page).getByText(ends).first()).toBeVisible();

  await shop.getByRole("button", { name: "zlcfirst", exact: true }).click();
  await expect(shop.getByText(/^Not this time/)).toBeHidden();
  await expect(stageOf(page).getByText("kernel zlcfirst", { exact: true })).toBeVisible();
  await shop.getByRole("radio", { name: /^All 200/ }).check();
  await shop.getByRole("button", { name: "Run it" }).click();
  await expect(shop.getByText("Right.")).toBeVisible();
  await expect(
    stageOf(page)
      .getByText(/skipped without a check/)
      .first(),
  ).toBeVisible();
});

test("answers and position survive a reload", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const counters = ask(page, COUNTERS);
  await counters.getByRole("radio", { name: /^pgscan_direct_normal/ }).check();
  await counters.getByRole("button", { name: "Run it" }).click();
  await expect(counters.getByText("Right.")).toBeVisible();
  await counters.getByRole("button", { name: "0", exact: true }).click();
  await counters.getByRole("radio", { name: /^allocstall/ }).check();
  await counters.getByRole("button", { name: "Run it" }).click();
  await expect(counters.getByText("Not this time. You said: allocstall.")).toBeVisible();
  await page.reload();
  await expect(counters.getByText("Not this time. You said: allocstall.")).toBeVisible();
  const rail = page.getByRole("navigation", { name: "Steps of this lesson" });
  await expect(rail.locator("[aria-current=step]")).toHaveText("A prediction: the counters");
});

test("a correct answer links to its run in the workbench", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const full = ask(page, FULL);
  await full.getByRole("radio", { name: /^A pass for each page/ }).check();
  await full.getByRole("button", { name: "Run it" }).click();
  await expect(full.getByText("Right.")).toBeVisible();
  await full.getByRole("link", { name: "Watch it happen" }).click();
  const why = page.getByRole("region", { name: "Why" });
  await expect(why).toContainText("walk once more without the cache");
  await expect.poll(() => page.url()).toContain("x=");
  expect(JSON.stringify(documentOf(page.url()))).toContain("zlcfirst");
});

test("changing kernel and mode in the prose changes the numbers", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const rail = page.getByRole("navigation", { name: "Steps of this lesson" });
  await rail.getByRole("button", { name: "Change it" }).click();
  // The step around them has the same name.
  const [kernel, mode] = [1, 2].map((i) => page.getByRole("region", { name: "Change it" }).nth(i));
  if (!kernel || !mode) throw new Error("there are two");
  await expect(kernel.getByText(/The shop has [1-9]\d? pages/)).toBeVisible();
  await kernel.getByRole("button", { name: "zlcfirst", exact: true }).click();
  await expect(
    kernel.getByText(/The shop has 200 pages\..* Passes that freed nothing: 1\./),
  ).toBeVisible();
  await expect(stageOf(page).getByText("kernel zlcfirst", { exact: true })).toBeVisible();
  await mode.getByRole("button", { name: "0", exact: true }).click();
  await expect(
    mode.getByText(/The shop has 200 pages\..* Passes that freed nothing: 0\./),
  ).toBeVisible();
  await expect(stageOf(page).getByText("kernel 3.0", { exact: true })).toBeVisible();
});

test("words of the prose bring the stage to their line", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  for (const [words, said] of [
    ["468 file pages", /468 unmapped clean file pages, more than/],
    ["gives up without freeing any", /gives up at priority 0/],
    ["is set", /is marked full/],
    ["skipped as well", /skipped without a check/],
    ["once more", /walk once more without the cache/],
    ["sets the bit", /is marked full/],
  ] as const) {
    await page.getByRole("button", { name: words, exact: true }).click();
    await expect(stage.getByText(said).first()).toBeVisible();
  }
});

test("a reader builds a run in which the cache matters, and the run survives a reload", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  const choose = (knob: string, value: string) =>
    build
      .getByRole("group", { name: knob })
      .getByRole("button", { name: value, exact: true })
      .click();
  const attempt = build.getByRole("button", { name: "Try it" });
  await attempt.click();
  await expect(build.getByText(/^Not yet\./)).toBeVisible();
  await expect(build.getByText(/Nothing is scanned at all/)).toBeVisible();
  await choose("vm.zone_reclaim_mode", "1");
  await expect(build.getByText(/^Not yet\./)).toBeHidden();
  await attempt.click();
  await expect(build.getByText(/The passes are worth it/)).toBeVisible();
  await choose("situation", "the same, node 1 full");
  await attempt.click();
  await expect(build.getByText(/Both kernels search in vain/)).toBeVisible();
  await choose("situation", "pages being written");
  await attempt.click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(
    build.getByRole("row", { name: /^passes that freed nothing/ }).getByRole("cell"),
  ).toHaveText([/^\d{2,}$/, "1"]);
  await build.getByRole("button", { name: "Show zlcfirst" }).click();
  await expect(stageOf(page).getByText("kernel zlcfirst", { exact: true })).toBeVisible();
  await page.reload();
  await expect(build.getByText("Built.")).toBeVisible();
  await page.getByRole("button", { name: "Forget my answers" }).click();
  await expect(build.getByText("Built.")).toBeHidden();
});

test("shows published figures exactly as published", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const table = page.getByRole("figure", { name: "Published: LARGE DD" });
  await expect(table.getByRole("row", { name: /^dd source files/ })).toContainText("527");
  await expect(table).toContainText("2011-07-15");
  const rest = table.getByRole("row", { name: /^Direct efficiency/ });
  await expect(rest).toBeHidden();
  await table.getByText("15 more rows").click();
  await expect(rest).toBeVisible();
});
