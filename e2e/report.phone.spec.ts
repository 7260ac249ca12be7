import { expect as quick, test } from "@playwright/test";
import { smallTargets } from "./measurements";

const expect = quick.configure({ timeout: 40_000 });
test.describe.configure({ timeout: 120_000 });

test("runs a report on a phone and shows one kernel at a time", async ({ page }) => {
  await page.goto("./#/report/fsmark");
  await page.getByRole("radio", { name: "Teaching size" }).tap();
  await page.getByRole("button", { name: "Run 3 kernels" }).tap();
  await expect(page.getByRole("status")).toHaveText("All kernels have run.");
  const table = page.getByRole("table", { name: /^FS-Mark: published.*teaching size$/ });
  await expect(table.getByRole("row", { name: /^Percentage direct scans/ })).toContainText("83");
  await page
    .getByRole("region", { name: "Teaching size, run here" })
    .getByRole("button", { name: "zlcreconsider" })
    .tap();
  await expect(table).toContainText("3.0-rc6-vanilla to zlcreconsider");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});

test("every table and lesson in the list is large enough to tap on a phone", async ({ page }) => {
  await page.goto("./#/report");
  await expect(page.getByRole("link", { name: /^FS-Mark/ })).toBeVisible();
  expect(await smallTargets(page)).toEqual([]);
});

test("shows the parts of the top bar side by side on a phone, however long the title is", async ({
  page,
}) => {
  for (const address of ["report/large-dd", "truth", "lesson/watermarks-and-kswapd"]) {
    // No page may depend on the styles of another.
    await page.goto("about:blank");
    await page.goto(`./#/${address}`);
    const bar = page.getByRole("banner").first();
    await expect(bar.getByRole("button", { name: /theme$/ })).toBeVisible();
    await bar.locator(".crumb b").evaluate((title) => {
      title.textContent = "A benchmark whose name tells all that is done in it, and where";
    });
    const parts = await bar.evaluate((element) =>
      [...element.children]
        .map((part) => part.getBoundingClientRect())
        .filter(({ width }) => width > 0)
        .map(({ left, right }) => ({ left, right })),
    );
    for (const [i, { left }] of parts.entries()) {
      expect(left, address).toBeGreaterThanOrEqual(parts[i - 1]?.right ?? 0);
    }
    // The actions are at the edge.
    expect(390 - (parts.at(-1)?.right ?? 0), address).toBeLessThanOrEqual(16);
    // The title overlaps no neighbour: a long title is truncated.
    const spilt = await bar.evaluate(
      (element) =>
        [...element.children].filter(
          (part) =>
            part.scrollWidth > part.clientWidth && getComputedStyle(part).overflowX === "visible",
        ).length,
    );
    expect(spilt, address).toBe(0);
  }
});
