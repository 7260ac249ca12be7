import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { sideways, smallTargets } from "./measurements";
import { paidOf, runToEnd } from "./paid";

test("opens Who paid from the menu on a phone without sideways scrolling", async ({ page }) => {
  await runToEnd(page, "anon-hog.teach");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: /^Who paid for reclaim/ }).click();
  const dialog = paidOf(page);
  await expect(dialog.getByText(/^✓ The rows add up/)).toBeVisible({ timeout: 30_000 });
  await expect(dialog.locator("svg.paid-flow")).toBeVisible();
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await axeFindsNothing(page, { part: "dialog" });
});
