// Steps of the journeys about "Who paid" and "Smallest example" that are the same on every screen
// size.

import { expect, type Page } from "@playwright/test";

/** The dialog "Who paid for reclaim". */
export const paidOf = (page: Page) => page.getByRole("dialog", { name: "Who paid for reclaim" });

/** The dialog "Smallest example". */
export const shrinkOf = (page: Page) => page.getByRole("dialog", { name: "Smallest example" });

/** Opens a ready-made experiment and runs it to its end. */
export async function runToEnd(page: Page, preset: string): Promise<void> {
  await page.goto(`./#/workbench?preset=${preset}`);
  await expect(page.getByRole("region", { name: "Why" }).locator("p").first()).toBeVisible({
    timeout: 30_000,
  });
  await page.keyboard.press("End");
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 60_000 });
}

/** The rows of a table as texts. */
export const cellsOf = async (page: Page, table: string): Promise<string[][]> =>
  paidOf(page)
    .getByRole("region", { name: table })
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
