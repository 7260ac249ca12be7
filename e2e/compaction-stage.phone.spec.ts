import { expect, test } from "@playwright/test";
import { combAddress, stepOfMove } from "./comb.mjs";

test("shows the pageblocks in rows among the lists on a phone, with both scanners", async ({
  page,
}) => {
  await page.goto(`./${combAddress("fastscan")}`);
  await page.getByRole("button", { name: "Lists", exact: true }).click();
  const blocks = page.getByRole("region", { name: "Pageblocks of Normal on node 0" });
  await expect(blocks).toBeVisible();
  const step = stepOfMove("fastscan");
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(`#${step}`);
  await page.keyboard.press("Enter");
  await expect(blocks.locator(".scanner .at")).toHaveCount(2);
  await expect(blocks.locator(".move-path")).toHaveCount(1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(390);
});
