import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { showAll } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "./#/lesson/anonymous-memory-and-swap";

const stageOf = (page: Page) => page.getByRole("complementary", { name: "Live stage" });

test("the run marks an answer and marks it again with a larger photo", async ({ page }) => {
  await page.goto(LESSON);
  const room = page
    .getByRole("region", { name: "Prediction", exact: true })
    .filter({ hasText: "take to make room" });
  await room.getByRole("radio", { name: /^Only pages of the header files/ }).check();
  await room.getByRole("button", { name: "Run it" }).click();
  await expect(room.getByText("Right.")).toBeVisible();
  await room.getByRole("button", { name: "80%", exact: true }).click();
  await room.getByRole("radio", { name: /^Only pages of the header files/ }).check();
  await room.getByRole("button", { name: "Run it" }).click();
  await expect(room.getByText(/^Not this time\./)).toBeVisible();
});

test("the stage follows a page to swap, and axe finds no violation", async ({ page }) => {
  await page.goto(LESSON);
  await showAll(page);
  const stage = stageOf(page);
  await page.getByRole("button", { name: "The page gets a swap slot" }).click();
  await expect(stage.locator(".nar")).toContainText(/gets swap slot 1/);
  await axeFindsNothing(page);
});

test("a reader builds a workload that swap speeds up although memory is sufficient", async ({
  page,
}) => {
  await page.goto(LESSON);
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.scrollIntoViewIfNeeded();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible();
  for (const value of ["50%", "60%", "idle"]) {
    await build.getByRole("button", { name: value, exact: true }).click();
  }
  const swappiness = build.getByRole("group", { name: "vm.swappiness" });
  await swappiness.getByRole("button", { name: "60", exact: true }).click();
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Built.")).toBeVisible();
});
