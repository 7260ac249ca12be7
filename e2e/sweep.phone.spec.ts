import { expect as quick, test } from "@playwright/test";
import { smallTargets } from "./measurements";

const expect = quick.configure({ timeout: 60_000 });
test.describe.configure({ timeout: 180_000 });

test("runs a sweep on a phone and opens a point", async ({ page }) => {
  await page.goto("./#/sweep?preset=first-touch.teach");
  const axis = page.getByRole("group", { name: "Axis 2" });
  await axis.getByLabel("values").fill("1 to 2");
  const runs = page.getByRole("region", { name: "Runs" });
  await expect(runs).toContainText("8 runs, none finished.");
  await page.getByRole("button", { name: "Run the sweep" }).tap();
  await expect(runs).toContainText("All 8 runs have finished.");
  await page.getByLabel("Figure").selectOption("pgfault");
  await page.getByRole("button", { name: /^vm.swappiness 30: / }).tap();
  const point = page.getByRole("region", { name: "Selected point" });
  await expect(point.getByRole("link")).toHaveCount(2);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
  await point.getByRole("link").first().tap();
  await expect(page.getByRole("button", { name: "Menu" })).toBeVisible();
});
