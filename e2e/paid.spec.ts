import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { goToMoment, numbersOf } from "./journey";
import { cellsOf, paidOf, runToEnd } from "./paid";

test("shows who paid in the whole run, and the rows add up to the counters", async ({ page }) => {
  await runToEnd(page, "anon-hog.teach");
  await page.keyboard.press("w");
  const dialog = paidOf(page);
  await expect(dialog.getByText(/^✓ The rows add up/)).toBeVisible({ timeout: 30_000 });
  await expect(dialog).toContainText("This is the whole run so far.");

  const taken = await cellsOf(page, "Owners of the reclaimed pages");
  const pages = taken.map((cells) => numbersOf(cells.at(-1) ?? "")[0] ?? 0);
  const foot = dialog
    .getByRole("region", { name: "Owners of the reclaimed pages" })
    .locator("tfoot tr");
  const sum = pages.reduce((all, one) => all + one, 0);
  expect(sum).toBeGreaterThan(0);
  for (const row of await foot.all()) {
    expect(numbersOf(await row.locator("td").textContent())).toEqual([sum]);
  }
  // kswapd works for the hog.
  const work = await cellsOf(page, "Reclaim by each task, and the task that it served");
  expect(work.find(([task]) => task === "kswapd0")?.[1]).toMatch(/^hog/);
  await axeFindsNothing(page, { part: "dialog" });
});

test("the diagram can be read and marked by keyboard", async ({ page }) => {
  await runToEnd(page, "anon-hog.teach");
  await page.keyboard.press("w");
  const dialog = paidOf(page);
  const nodes = dialog.locator("svg.paid-flow").getByRole("button");
  await expect(nodes.first()).toBeVisible({ timeout: 30_000 });
  await nodes.first().focus();
  await page.keyboard.press("ArrowRight");
  const focused = dialog.locator("svg.paid-flow :focus");
  await expect(focused).toHaveAttribute("aria-label", /^done by /);
  await page.keyboard.press("Enter");
  await expect(focused).toHaveAttribute("aria-pressed", "true");
  await expect(dialog.locator(".paid-band.lit").first()).toBeVisible();

  await dialog.getByRole("button", { name: "Pages scanned" }).click();
  await expect(dialog.locator("figcaption")).toContainText("Pages scanned");
});

test("a range from the first wake-up of kswapd has all pages that were reclaimed", async ({
  page,
}) => {
  await runToEnd(page, "anon-hog.teach");
  const total = async () => {
    await page.keyboard.press("w");
    const foot = paidOf(page).getByRole("region", { name: "Owners of the reclaimed pages" });
    await expect(foot).toBeVisible({ timeout: 30_000 });
    const [pages = 0] = numbersOf(await foot.locator("tfoot td").first().textContent());
    await page.keyboard.press("Escape");
    return pages;
  };
  const whole = await total();
  await goToMoment(page, "hogWakesKswapd");
  await page.keyboard.press("i");
  await page.keyboard.press("w");
  await expect(paidOf(page)).toContainText("The range begins and ends at the nearest samples");
  await page.keyboard.press("Escape");
  const part = await total();
  // Nothing was reclaimed before kswapd was woken.
  expect(part).toBe(whole);
});
