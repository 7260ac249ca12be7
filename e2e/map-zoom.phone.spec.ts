import { expect, test } from "@playwright/test";
import { canZoom, settled } from "./journey";
import { openFirst } from "./links";

test("a tap zooms in to the page, and the path above the map zooms out", async ({ page }) => {
  await openFirst(page);
  const map = page.locator(".map").first();
  const box = map.locator(".map-box");
  // Before that, the box is that of the plain map, which this one replaces.
  await canZoom(page);
  await box.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const before = await settled(() => box.boundingBox());
  const { x = 0, y = 0, width = 0 } = before ?? {};
  await page.touchscreen.tap(x + width * 0.4, y + 270);
  const card = page.getByRole("region", { name: /^Page 0x/ });
  await expect(card).toContainText("block");
  const out = map.getByRole("button", { name: "node 0" });
  expect((await out.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expect.poll(async () => (await box.boundingBox())?.height).toBe(before?.height);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
  ).toBeLessThanOrEqual(0);
  await out.tap();
  await expect(map.getByRole("grid")).toHaveAccessibleName(/^Page map of node 0/);
});
