import { expect, test } from "@playwright/test";
import { isAt, stepOn } from "./journey";
import { cursorOf, documentOf, openFirst } from "./links";

test("a draft survives a reload and a visit to the page without a link", async ({ page }) => {
  await openFirst(page);
  const step = await stepOn(page, 4);
  const lists = page.getByRole("button", { name: "LRU lists of DMA32 on node 0" });
  await lists.click();
  await expect.poll(() => JSON.stringify(documentOf(page.url()).lists ?? "")).toContain("DMA32");
  const cursor = await cursorOf(page);
  expect(cursor.step).toBe(step);
  await page.reload();
  await isAt(page, step);
  await page.goto("about:blank");
  await page.goto("./#/workbench");
  await isAt(page, step);
  expect(await cursorOf(page)).toEqual(cursor);
  await expect(lists).toHaveAttribute("aria-pressed", "true");
});

test("the page works with denied storage and reports it", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await openFirst(page);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText(/denies storage/)).toBeVisible();
});
