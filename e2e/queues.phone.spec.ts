import { expect, test } from "@playwright/test";
import { SERIES, stormAddress } from "./storm.mjs";

test("shows the queues below the tasks on a phone with tokens that are large enough to tap", async ({
  page,
}) => {
  await page.goto(`./${stormAddress(SERIES)}`);
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  await expect(page.getByRole("region", { name: "Tasks" })).toBeVisible();
  const part = page.getByRole("region", { name: "Wait queues" });
  await expect(part).toHaveCount(0);
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill("100 ms");
  await page.keyboard.press("Enter");
  await expect(part.locator(".pill").first()).toBeVisible();
  const token = part.locator(".pill").first();
  await token.scrollIntoViewIfNeeded();
  const box = await token.boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
});
