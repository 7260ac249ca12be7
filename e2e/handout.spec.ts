import { existsSync, readdirSync } from "node:fs";
import { type Page, expect as quick, test } from "@playwright/test";

/** A printed page needs runs and pictures, which take longer on a busy machine. */
const expect = quick.configure({ timeout: 60_000 });
test.describe.configure({ timeout: 120_000 });

const LESSONS = readdirSync("lessons").filter((id) => existsSync(`lessons/${id}/lesson.json`));

/**
 * Opens a lesson and makes one of its printed versions. The print dialog of the system stays closed, and the
 * printed version stays open.
 */
async function make(page: Page, lesson: string, print: "handout" | "key") {
  await page.addInitScript(() => {
    window.print = () => void document.documentElement.setAttribute("data-printing", "");
    addEventListener("afterprint", (event) => {
      if ("printing" in document.documentElement.dataset) event.stopImmediatePropagation();
    });
  });
  await page.goto(`./#/lesson/${lesson}`);
  await expect(page.locator(".live[aria-busy=false]")).toBeVisible();
  await page.getByRole("button", { name: `Print the ${print}` }).press("Enter");
  await expect(page.locator("html[data-printing]")).toBeAttached();
}

const pagesOf = async (page: Page, format: "A4" | "Letter") =>
  (await page.pdf({ format })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;

for (const lesson of LESSONS) {
  test(`the handout of ${lesson} has at most four pages and all figures`, async ({ page }) => {
    await make(page, lesson, "handout");
    for (const format of ["A4", "Letter"] as const) {
      const pages = await pagesOf(page, format);
      expect(pages, format).toBeGreaterThan(0);
      expect(pages, format).toBeLessThanOrEqual(4);
    }
    const figures = await page.evaluate(() => {
      const images = [...document.querySelectorAll<HTMLImageElement>(".handout .figs img")];
      const wanted = [...document.querySelectorAll<HTMLElement>(".handout .figs")].flatMap(
        ({ dataset }) => dataset.scenes?.split(" ").filter(Boolean) ?? [],
      );
      return {
        drawn: images.filter(({ naturalWidth }) => naturalWidth > 400).length,
        wanted: Math.max(1, new Set(wanted).size),
      };
    });
    expect(figures.drawn).toBe(figures.wanted);
  });
}

test("the handout has questions without answers, the address, and space to write", async ({
  page,
}) => {
  await make(page, "watermarks-and-kswapd", "handout");
  const handout = page.locator(".handout");
  // Nothing of it is visible on the screen.
  await expect(handout).toBeHidden();
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("navigation", { name: "Steps of this lesson" })).toBeHidden();
  await expect(handout).toContainText("Who will free most of the pages it needs?");
  await expect(handout).toContainText("How often is the book read from the disk?");
  await expect(handout).toContainText("(figure 1)");
  await expect(handout.getByRole("img", { name: /^The stage: A film four times/ })).toHaveCount(4);
  await expect(handout.getByRole("img", { name: /^QR code/ })).toBeVisible();
  await expect(
    handout.getByRole("link", { name: /#\/lesson\/watermarks-and-kswapd$/ }),
  ).toHaveCount(1);
  // It contains no text that answers a question.
  await expect(handout).not.toContainText("By then the zone is down to min.");
  await expect(handout).not.toContainText("the whole film plays without a single stall");
  await expect(handout).not.toContainText("The player stopped");

  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => {
    document.documentElement.removeAttribute("data-printing");
    dispatchEvent(new Event("afterprint"));
  });
  await expect(handout).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Print the handout" })).toBeEnabled();
});

test("the key has the answer of every run and its reason", async ({ page }) => {
  await make(page, "watermarks-and-kswapd", "key");
  const key = page.getByRole("region", { name: "Key" });
  await page.emulateMedia({ media: "print" });
  await expect(key).toContainText(/factor 10: The player itself\. The player stopped \d+ times/);
  await expect(key).toContainText(/factor 500: kswapd\./);
  await expect(key).toContainText("factor 700: Every time.");
  await expect(key).toContainText("By then the zone is down to min.");
  expect(await pagesOf(page, "A4")).toBeLessThanOrEqual(4);
});

test("printing from the browser shows no hidden text and a white background", async ({ page }) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto("./#/lesson/the-stall-that-was-not-the-disk");
  await expect(page.getByRole("heading", { name: /^A prediction: the shop/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Print the handout" })).toBeHidden();
  await expect(page.getByText("The disk did not cause this stall.")).toHaveCount(0);
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme()).toBe("light");
});
