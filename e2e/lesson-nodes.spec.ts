import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/tasks-and-their-memory";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

/** The question with these words. */
const ask = (page: Page, words: RegExp) =>
  page.getByRole("region", { name: "Prediction", exact: true }).filter({ hasText: words });

test("the run shows that the kernel decides where the pages end up", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const five = ask(page, /Where are most of the pages at the end/);
  await five.scrollIntoViewIfNeeded();
  await five.getByRole("radio", { name: /^Node 1/ }).check();
  await five.getByRole("button", { name: "Run it" }).click();
  await expect(five.getByText("Not this time. You said: Node 1.")).toBeVisible();
  await five.getByRole("button", { name: "numacore-18", exact: true }).click();
  await five.getByRole("radio", { name: /^Node 1/ }).check();
  await five.getByRole("button", { name: "Run it" }).click();
  await expect(five.getByText("Right.")).toBeVisible();
});

test("the stage shows memory by node, CPUs, and tasks that change places", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await expect(stage.getByRole("region", { name: "CPUs" }).locator(".cpu")).toHaveCount(12);
  await expect(stage.getByRole("region", { name: "Memory by node" })).toBeVisible();
  const placing = page.getByRole("button", { name: "Here", exact: true }).last();
  await placing.click();
  await expect(stage.locator(".nar")).toContainText(/take its CPU in exchange/);
  // The axe check covers parts that the edge of the stage cuts off, so the stage is scrolled first.
  await stage.getByRole("region", { name: "The machine" }).evaluate((box) => box.scrollBy(0, 300));
  await axeFindsNothing(page);
});

test("a reader builds a workload that no kernel places well", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  await build.getByRole("button", { name: "one, six threads" }).click();
  await build.getByRole("button", { name: "none", exact: true }).click();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
});
