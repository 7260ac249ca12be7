// The styles that a part loads when it is first opened change no other part.

import { expect, type Page, test } from "@playwright/test";
import { openFirst } from "./links";

test.describe.configure({ timeout: 120_000 });

/** The styles and places of everything below the main part. */
const styleOf = (page: Page) =>
  page.locator("main").evaluate((main) => {
    const at = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const { display, font, color, padding, border, textAlign } = getComputedStyle(element);
      const style = [display, font, color, padding, border, textAlign].join("; ");
      const name = `${element.tagName} ${element.getAttribute("class") ?? ""}`;
      return `${name}: ${[x, y, width, height].map(Math.round).join(" ")}; ${style}`;
    };
    return [...main.querySelectorAll("*:not(:where(svg *, option))")].map(at);
  });

async function reportOf(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    location.hash = "#/report/fsmark";
  });
  await expect(page.getByRole("table", { name: /^FS-Mark: published/ })).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => scrollTo(0, 0));
  return styleOf(page);
}

test("a report has the same style after Explain, a lesson and the first page were open", async ({
  page,
  browser,
}) => {
  const fresh = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await fresh.goto("./#/report");
  const alone = await reportOf(fresh);
  expect(alone.length).toBeGreaterThan(100);
  await fresh.close();

  await page.goto("./");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await openFirst(page);
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  for (const part of ["Reclaim", "Allocation"]) {
    await explain.getByRole("button", { name: part, exact: true }).click();
  }
  await page.evaluate(() => {
    location.hash = "#/lesson/watermarks-and-kswapd";
  });
  await expect(page.locator(".lesson-page h1")).toBeVisible();
  expect(await reportOf(page)).toEqual(alone);
});
