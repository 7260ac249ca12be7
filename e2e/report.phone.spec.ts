import { expect as quick, test } from "@playwright/test";
import { smallTargets } from "./looks";

const expect = quick.configure({ timeout: 40_000 });
test.describe.configure({ timeout: 120_000 });

test("a phone runs a report and reads one kernel at a time", async ({ page }) => {
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).tap();
  await page.getByRole("button", { name: "Run 3 kernels" }).tap();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  const table = page.getByRole("table", { name: /^FS-Mark: published/ });
  await expect(table.getByRole("row", { name: /^Percentage direct scans/ })).toContainText("83");
  await page.getByRole("button", { name: "zlcreconsider" }).tap();
  await expect(table).toContainText("3.0-rc6-vanilla to zlcreconsider");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});

test("on a phone every table and lesson in the list is large enough for a finger", async ({
  page,
}) => {
  await page.goto("./#/report");
  await expect(page.getByRole("link", { name: /^FS-Mark/ })).toBeVisible();
  expect(await smallTargets(page)).toEqual([]);
});
