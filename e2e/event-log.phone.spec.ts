import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { clockOf, isFound } from "./journey";
import { openFirst } from "./links";

test("on a phone the log is in the menu, and going to a step shows the machine there", async ({
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
