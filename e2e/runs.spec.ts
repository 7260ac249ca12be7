import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { fileFrom } from "./keep";
import { openFirst } from "./links";

/** Runs the open experiment to its end. */
async function runToEnd(page: Page): Promise<void> {
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 60_000 });
}

test("the history keeps a completed run with its note after a reload", async ({ page }) => {
  await openFirst(page);
  await runToEnd(page);
  await page.goto("./#/runs");
  const runs = page.getByRole("list").getByRole("link", { name: /^Open / });
  await expect(runs).toHaveCount(1);
  await page.getByRole("textbox", { name: "Note" }).fill("The baseline");
  await page.getByRole("textbox", { name: "Note" }).blur();
  await expect(page.getByText("Note saved.")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Note" })).toHaveValue("The baseline");
  await axeFindsNothing(page);

  await page.getByRole("searchbox", { name: "Search" }).fill("no such run");
  await expect(page.getByText("No run matches the search.")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search" }).fill("baseline");
  await expect(runs).toHaveCount(1);

  await page.getByRole("button", { name: /^Delete / }).click();
  await expect(runs).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("textbox", { name: "Note" })).toHaveValue("The baseline");

  const file = await fileFrom(page, page.getByRole("button", { name: "Export as JSON" }));
  expect(JSON.parse(file.text)).toMatchObject({
    format: "mmscope history",
    runs: [{ note: "The baseline" }],
  });
  await runs.click();
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible({ timeout: 20_000 });
});

test("compares two runs counter by counter", async ({ page }) => {
  await openFirst(page);
  await runToEnd(page);
  await openFirst(page, "./#/workbench?preset=run-out.teach");
  await runToEnd(page);
  await page.goto("./#/runs");
  const picks = page.getByRole("checkbox");
  await expect(picks).toHaveCount(2);
  await picks.nth(0).check();
  await picks.nth(1).check();
  const pair = page.getByRole("region", { name: "Comparison of two runs" });
  await expect(pair).toContainText("The runs end in different states.");
  await expect(pair.getByRole("row", { name: /^pgfault / })).toBeVisible();
  await axeFindsNothing(page);
});
