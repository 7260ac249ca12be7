import { expect as quick, test } from "@playwright/test";
import { sideways, smallTargets, smallTexts } from "./measurements";

/** An engine starts and runs, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });

test("the course fits a phone, and the description of a lesson unfolds", async ({ page }) => {
  await page.goto("./");
  const course = page.getByRole("region", { name: "The course" });
  const lessons = course.locator(".path > li");
  await expect(lessons.first().getByText("After it you can")).toBeVisible();
  const last = lessons.last();
  await expect(last.getByText("After it you can")).toBeHidden();
  await last.locator("summary").tap();
  await expect(last.getByText("After it you can")).toBeVisible();
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  expect(await smallTexts(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
});

test("a tap explains a term until the next tap elsewhere", async ({ page }) => {
  await page.goto("./");
  const explanation = page.getByRole("complementary", { name: "Explanation" });
  await page.getByRole("button", { name: "Node", exact: true }).first().tap();
  await expect(explanation).toContainText("Memory together with the CPUs");
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await page.getByRole("heading", { level: 1 }).tap();
  await expect(explanation).toBeHidden();

  await page.goto("./#/lesson/watermarks-and-kswapd");
  const term = page.locator("main [data-term=kswapd]");
  await term.tap();
  await expect(explanation).toContainText("frees pages in the background");
  await expect(explanation).toBeInViewport({ ratio: 1 });
});
