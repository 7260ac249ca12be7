import AxeBuilder from "@axe-core/playwright";
import { type Page, expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/stalling-on-nothing";
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("a wrong guess shows that no task slept and what part 1 changes", async ({ page }) => {
  await page.goto(LESSON);
  const first = ask(page, /for 100 ms at most/);
  await first.scrollIntoViewIfNeeded();
  // The following text is not on the page before the answer.
  await expect(page.getByText("asked to wait 317 times")).toHaveCount(0);
  await first.getByRole("radio", { name: /^Usually the full 100 ms/ }).check();
  await first.getByRole("button", { name: "Run it" }).click();
  await expect(first.getByText("Not this time. You said: Usually the full 100 ms.")).toBeVisible();
  await expect(first.getByText(/Of 317 waits, 317 ended before the next tick/)).toBeVisible();
  await expect(page.getByText("asked to wait 317 times")).toBeVisible();

  await first.getByRole("button", { name: "1", exact: true }).click();
  await first.getByRole("radio", { name: /^Usually the full 100 ms/ }).check();
  await first.getByRole("button", { name: "Run it" }).click();
  await expect(first.getByText("Right.")).toBeVisible();
});

test("the stage shows the queues from the start and the task that ended a wait", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: "Is a device queue congested" }).click();
  await expect(stage.locator(".queue")).toHaveCount(4);
  await expect(stage.locator(".nar")).toContainText("is marked congested too: no");
  await expect(stage.locator('.queue[data-kind="wait_iff_congested"]')).toContainText("no wait");

  await page.getByRole("button", { name: "kswapd is the first to sleep" }).click();
  const writes = stage.locator('.queue[data-kind="writeback"]');
  await expect(writes.getByRole("button", { name: /^kswapd0/ })).toBeVisible();
  await expect(writes).toContainText("0 written; sleepers wake above 32 (32 each)");

  await page.getByRole("button", { name: "ends the wait", exact: true }).click();
  const isolated = stage.locator('.queue[data-kind="isolated"]');
  await expect(isolated).toContainText(/woken by writer\/2 after/);
});

test("a reader composes a kernel: an invalid one is refused with the reason, and a valid one is marked", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  const put = async (part: number, where: "in" | "out") =>
    build
      .getByRole("group", { name: new RegExp(`^part ${part}, `) })
      .getByRole("button", { name: where, exact: true })
      .click();
  await put(3, "in");
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("The engine refuses it:")).toBeVisible();
  await expect(build.getByText(/“part 2, isolated”/)).toBeVisible();

  await put(3, "out");
  await put(5, "in");
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await expect(build.getByText(/the last sleep was removed/)).toBeVisible();

  for (const part of [1, 2, 3, 4, 6, 7]) await put(part, "in");
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
  await expect(build.getByRole("row", { name: /^wait_iff_congested/ })).toContainText("3170");
});

test("shows the published rows, and axe finds no violation", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(LESSON);
  await showAll(page);
  const table = page.getByRole("table", { name: /^stutterp, CPU time/ });
  await expect(table.getByRole("row", { name: /^Direct pages scanned/ })).toContainText(
    "1,056,608,451",
  );
  await expect(stageOf(page).locator(".queue")).not.toHaveCount(0);
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
});
