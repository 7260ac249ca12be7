import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { clockOf, isAt, isFound } from "./journey";
import { openFirst } from "./links";
import { smallTargets, smallTexts } from "./measurements";

test("chooses decisions and reads the timeline as a table on a phone", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Menu" }).tap();
  await page.getByRole("button", { name: /^Event log/ }).tap();
  const log = page.getByRole("dialog", { name: "Event log" });
  await log.getByRole("button", { name: "Decisions: None" }).tap();
  await page.getByRole("menuitemradio", { name: /^Only/ }).tap();
  const chip = log.getByRole("button", { name: "Decisions: Only" });
  await expect(chip.getByText("Only")).toBeInViewport();
  await expect(log.getByText(/^[1-9][\d,]* decisions from/)).toBeVisible();
  await isFound(log.getByRole("grid", { name: "Events" }));
  const broken = () => chip.evaluate((it) => it.scrollWidth - it.clientWidth);
  await expect.poll(broken).toBeLessThanOrEqual(0);
  await log.getByRole("button", { name: "Close" }).tap();
  await expect(log).toBeHidden();

  await page.getByRole("button", { name: "Share" }).tap();
  await page.getByRole("button", { name: "Table", exact: true }).tap();
  const table = page.getByRole("dialog", { name: "The timeline as a table" });
  await expect(table.locator("tr[aria-current=step]")).toBeInViewport();
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await expect.poll(() => smallTexts(page)).toEqual([]);
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(wide).toBeLessThanOrEqual(390);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
  const link = table.getByRole("button", { name: /^Go to step/ }).first();
  await link.tap();
  await expect(table).toBeHidden();
  await isAt(page, 0);
});

test("opens the log from the menu on a phone and shows the machine at a chosen step", async ({
  page,
}) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: /^Event log/ }).click();
  const log = page.getByRole("dialog", { name: "Event log" });
  const grid = log.getByRole("grid", { name: "Events" });
  await isFound(grid);
  const rows = grid.getByRole("row");
  await expect(rows.filter({ hasText: "#" }).last()).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
  const width = await log.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
  expect(width).toBeLessThanOrEqual(0);
  const link = rows
    .filter({ hasText: "#" })
    .last()
    .getByRole("button", { name: /^Go to step/ });
  const step = (await link.textContent()) ?? "";
  await link.click();
  await expect(log).toBeHidden();
  await expect(clockOf(page)).toContainText(`${step} `);
});
