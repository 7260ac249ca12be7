import { expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

const expect = quick.configure({ timeout: 60_000 });
test.describe.configure({ timeout: 180_000 });

test("shows A, the fork and B side by side on a phone and steps both", async ({ page }) => {
  await page.goto("./#/compare");
  const a = page.getByRole("region", { name: "Machine A" });
  const b = page.getByRole("region", { name: "Machine B" });
  await expect(b).toHaveAttribute("aria-busy", "false");
  await expect(a).toBeInViewport();
  await expect(b).not.toBeInViewport();
  await page.getByRole("button", { name: "Fork", exact: true }).tap();
  await expect(page.getByRole("region", { name: "First divergence" })).toBeInViewport();
  await page.getByRole("button", { name: /^Open in both/ }).tap();
  await page.getByRole("button", { name: "B", exact: true }).first().tap();
  await expect(b).toBeInViewport();
  await expect(b.locator(".compare-says")).not.toContainText("#0 ");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
  await axeFindsNothing(page);
});
