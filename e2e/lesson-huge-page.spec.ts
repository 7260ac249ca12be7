import AxeBuilder from "@axe-core/playwright";
import { type Page, expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/making-room-for-a-huge-page";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("after a wrong guess, the lesson shows where the scanners met and how the layout changes that", async ({
  page,
}) => {
  await page.goto(LESSON);
  const meet = ask(page, /Both scanners go on until they meet/);
  await meet.scrollIntoViewIfNeeded();
  // The following text is not on the page before the answer.
  await expect(page.getByText("they meet in block 19 of 64")).toHaveCount(0);
  await meet.getByRole("radio", { name: /^Near the middle/ }).check();
  await meet.getByRole("button", { name: "Run it" }).click();
  await expect(meet.getByText(/Not this time\. You said: near the middle/)).toBeVisible();
  await expect(meet.getByText(/The upper scanner is at block 19/)).toBeVisible();
  await expect(page.getByText("they meet in block 19 of 64")).toBeVisible();

  await meet.getByRole("button", { name: "2", exact: true }).click();
  await meet.getByRole("radio", { name: /^Near the middle/ }).check();
  await meet.getByRole("button", { name: "Run it" }).click();
  await expect(meet.getByText("Right.")).toBeVisible();
});

test("one kernel writes pages to swap and the other moves them", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const price = ask(page, /How many pages does it write to swap/);
  await price.scrollIntoViewIfNeeded();
  await price.getByRole("radio", { name: /^At most 128/ }).check();
  await price.getByRole("button", { name: "Run it" }).click();
  await expect(price.getByText(/1,031 pages were written for 4 huge pages/)).toBeVisible();

  await price.getByRole("button", { name: "compaction first" }).click();
  await price.getByRole("radio", { name: /^None/ }).check();
  await price.getByRole("button", { name: "Run it" }).click();
  await expect(price.getByText("Right.")).toBeVisible();
  await expect(price.getByText(/96 pages were moved/)).toBeVisible();
});

test("the stage shows both scanners, a page that moves, and a used page that is evicted", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: "Page frame 0x29 is copied to 0xfbd" }).click();
  await expect(stage).toContainText("The page at 0x29 is copied to 0xfbd");
  await expect(stage).toContainText("moved 0x29 to 0xfbd");

  await page.getByRole("button", { name: "the scanners have met" }).click();
  await expect(stage).toContainText("migrate, block 20");
  await expect(stage).toContainText("free, block 19");

  await page.getByRole("button", { name: "This page was used" }).click();
  await expect(stage).toContainText("but its whole block is needed: it may be freed.");
  await expect(stage).toContainText("No compaction: this kernel was built without it.");
});

test("texts about a kernel use the run of that kernel regardless of the stage before", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  await page.getByRole("button", { name: "the scanners have met" }).click();
  const turns = page.getByRole("region", { name: "Change it" });
  await turns.first().getByRole("button", { name: "blindcompact" }).click();
  await expect(turns.first()).toContainText(/24 huge pages were allocated\..* hot has 800\./);
  await turns.last().getByRole("button", { name: "nocompaction" }).click();
  await expect(turns.last()).toContainText(/21 huge pages were allocated\..* hot has 519\./);
  await expect(turns.first()).not.toContainText("were allocated");
});

test("a reader builds a layout in which compaction has almost nothing to do", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  const put = (part: string, value: string) =>
    build
      .getByRole("group", { name: part })
      .getByRole("button", { name: value, exact: true })
      .click();
  const tryIt = () => build.getByRole("button", { name: "Try it" }).click();
  await put("it takes", "1,536");
  await put("it gives back", "7 of 8");
  await tryIt();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await expect(build.getByText(/they are together in 24 blocks/)).toBeVisible();

  await put("the kernel takes its pages", "after it");
  await tryIt();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(
    build.getByText(/1,577 pages are free, and 1 of 8 huge pages were allocated/),
  ).toBeVisible();
  await expect(build.getByRole("row", { name: /^huge pages allocated/ })).toContainText("41");
});

test("shows the published rows, and axe finds no violation", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(LESSON);
  await showAll(page);
  const table = page.getByRole("table", { name: /^STRESS-HIGHALLOC/ });
  await expect(table.getByRole("row", { name: /^Pass 1/ })).toContainText("76");
  await expect(stageOf(page).getByText("Pageblocks")).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
});
