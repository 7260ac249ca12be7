import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { sideways, smallTargets } from "./measurements";
import { shrinkOf } from "./paid";

test("finds the smallest example from the menu on a phone", async ({ page }) => {
  await page.goto("./#/workbench?preset=anon-hog.teach");
  await expect(page.getByRole("region", { name: "Why" }).locator("p").first()).toBeVisible({
    timeout: 30_000,
  });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: /^Smallest example/ }).click();
  const dialog = shrinkOf(page);
  await expect(dialog).toBeVisible();
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Open it here" })).toBeVisible({
    timeout: 60_000,
  });
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await axeFindsNothing(page, { part: "dialog" });
});
