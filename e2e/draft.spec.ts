import { expect, test } from "@playwright/test";
import { cursorOf, openFirst } from "./links";

test("a draft survives a reload and a visit to the bare page", async ({ page }) => {
  await openFirst(page);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("ArrowRight");
  const lists = page.getByRole("button", { name: "LRU lists of DMA32 on node 0" });
  await lists.click();
  const cursor = await cursorOf(page);
  await page.waitForTimeout(300);
  await page.reload();
  await expect.poll(async () => (await cursorOf(page)).step).toBe(cursor.step);
  await page.goto("about:blank");
  await page.goto("./#/workbench");
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible();
  expect(await cursorOf(page)).toEqual(cursor);
  await expect(lists).toHaveAttribute("aria-pressed", "true");
});

test("the page works on where storage is denied, and says so", async ({ page }) => {
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
