// The course as a reader sees it: the learning path on the first page, the beginning and the end of a lesson,
// and explained terms in the text.

import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const explanation = (page: Page) => page.getByRole("complementary", { name: "Explanation" });

/** The term "node" on the stage of the first page. */
const nodeTerm = (page: Page) => page.getByRole("button", { name: "Node", exact: true }).first();

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: RegExp) {
  for (let i = 0; i < 150; i += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    });
    if (name.test(at)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

test("the keyboard opens a lesson of the learning path, which then shows the reader's progress", async ({
  page,
}) => {
  await page.goto("./");
  await expect(page.getByRole("heading", { name: "The course" })).toBeVisible();
  await tabTo(page, /^Start here: /);
  await page.keyboard.press("Enter");
  const rail = page.getByRole("navigation", { name: "Steps of this lesson" });
  const steps = rail.getByRole("button");
  await expect(steps.first()).toBeVisible();
  const title = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
  await expect(page.getByText("After this lesson you can")).toBeVisible();
  const count = await steps.count();
  await steps.nth(1).click();
  await expect(rail.locator("[aria-current=step]")).toHaveText(
    (await steps.nth(1).textContent()) ?? "",
  );
  await page.getByRole("link", { name: "mmscope: home" }).click();
  const course = page.getByRole("region", { name: "The course" });
  await expect(course.getByRole("link", { name: title }).first()).toContainText(
    `at step 2 of ${count}`,
  );
  await page.getByRole("link", { name: `Continue: ${title}` }).click();
  await expect(rail.locator("[aria-current=step]")).toHaveText(
    (await steps.nth(1).textContent()) ?? "",
  );
});

test("each lesson of the learning path names its audience, its goals and its prerequisites", async ({
  page,
}) => {
  await page.goto("./");
  const lessons = page.getByRole("region", { name: "The course" }).locator(".path > li");
  await expect(lessons.nth(4)).toBeVisible();
  const count = await lessons.count();
  for (let i = 0; i < count; i += 1) {
    const lesson = lessons.nth(i);
    await expect(lesson.getByText(/^For /)).toBeVisible();
    await expect(lesson.getByText("After it you can")).toBeVisible();
    await expect(lesson.getByText(/^Builds on /)).toBeVisible();
    await expect(lesson.getByRole("link").first()).toHaveText(/\d+ min$/);
  }
  await page.getByRole("button", { name: "See all lessons" }).click();
  await expect(page.getByRole("heading", { name: "The course" })).toBeFocused();
});

test("pointing at a term explains it and shifts no layout", async ({ page }) => {
  await page.goto("./");
  const term = nodeTerm(page);
  await expect(term).toBeVisible();
  const places = () =>
    page
      .getByRole("heading")
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().y));
  const before = await places();
  await term.hover();
  await expect(explanation(page)).toContainText("Memory together with the CPUs");
  expect(await places()).toEqual(before);
  // The pointer may move into the explanation and to its link.
  await explanation(page).getByRole("link", { name: "More in the glossary" }).hover();
  await page.waitForTimeout(500);
  await expect(explanation(page)).toBeVisible();
  await axeFindsNothing(page, { withBestPractices: true });
  await page.mouse.move(5, 5);
  await expect(explanation(page)).toBeHidden();
});

test("the keyboard opens the explanation of a term, a screen reader reads it, and Escape closes it", async ({
  page,
}) => {
  await page.goto("./");
  const term = nodeTerm(page);
  await expect(term).toBeVisible();
  await tabTo(page, /^Node$/);
  await expect(term).toBeFocused();
  await expect(term).toHaveAccessibleDescription(/Memory together with the CPUs/);
  await page.keyboard.press("Escape");
  await expect(explanation(page)).toBeHidden();
  await expect(term).toBeFocused();
  await page.keyboard.press("Enter");
  const more = explanation(page).getByRole("link", { name: "More in the glossary" });
  await expect(more).toBeFocused();
  // Tab continues with the next term.
  await page.keyboard.press("Tab");
  await expect(page.locator("[data-term=kswapd]").first()).toBeFocused();
  await expect(explanation(page)).toContainText("frees pages in the background");
  await page.keyboard.press("Shift+Tab");
  await expect(term).toBeFocused();
  await expect(explanation(page)).toContainText("Memory together with the CPUs");
  const meaning = await explanation(page).locator("p").textContent();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  // The glossary has the same text at this term.
  const row = page.locator("tr:focus");
  await expect(row.getByRole("cell").first()).toHaveText("node");
  await expect(row.getByRole("cell").nth(1)).toHaveText(meaning ?? "");
});

test("a lesson explains each term once, at its first occurrence", async ({ page }) => {
  await page.goto("./#/lesson/watermarks-and-kswapd");
  const prose = page.getByRole("main");
  const zone = prose.locator("[data-term=zone]");
  await expect(zone.first()).toBeVisible();
  await expect(zone).toHaveCount(1);
  await zone.click();
  await expect(explanation(page)).toContainText("A range of a node's memory");
  await page.mouse.click(700, 300);
  await expect(explanation(page)).toBeHidden();
  await axeFindsNothing(page);
});

test("the end of a lesson lists what the reader can do and leads to the next lesson", async ({
  page,
}) => {
  await page.goto("./#/lesson/watermarks-and-kswapd");
  const prose = page.getByRole("main");
  await expect(prose.getByRole("heading", { name: "What you can do now" })).toBeVisible();
  const goals = prose.locator(".onwards .goals li");
  await expect(goals).toHaveText(await prose.locator(".lesson-facts .goals li").allTextContents());
  await expect(prose.getByRole("navigation", { name: "After this lesson" })).toContainText(
    "Next lesson:",
  );
});
