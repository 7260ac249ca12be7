import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { fileFrom } from "./keep";
import { openFirst } from "./links";

/** Runs the open experiment to its end. */
async function runToEnd(page: Page): Promise<void> {
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 60_000 });
}

/** The number of runs that the browser has stored. */
const storedRuns = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const name = "mmscope.history";
    // Opening a database that does not exist yet would create it without its store.
    if (!(await indexedDB.databases()).some((each) => each.name === name)) return 0;
    return new Promise<number>((resolve, reject) => {
      const open = indexedDB.open(name);
      open.onerror = () => reject(open.error);
      open.onsuccess = () => {
        const count = open.result.transaction("runs").objectStore("runs").count();
        count.onsuccess = () => {
          open.result.close();
          resolve(count.result);
        };
      };
    });
  });

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

test("adds the runs of compare and a sweep to the history", async ({ page }) => {
  await openFirst(page);
  await page.keyboard.press("Shift+C");
  for (const side of ["A", "B"]) {
    await expect(
      page.getByRole("region", { name: `Machine ${side}`, exact: true }),
    ).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  }
  await page.keyboard.press("End");
  // Leaving the page ends its machines, so both runs must be stored before.
  await expect.poll(() => storedRuns(page), { timeout: 60_000 }).toBe(2);
  await page.goto("./#/sweep?preset=first-touch.teach");
  await page.getByRole("button", { name: "Run the sweep" }).click({ timeout: 60_000 });
  await expect(page.getByText(/12 of 12|All 12/).first()).toBeVisible({ timeout: 60_000 });
  await page.goto("./#/runs");
  const runs = page.getByRole("list").getByRole("listitem");
  await expect(runs.filter({ hasText: "· compare ·" })).toHaveCount(2);
  await expect(runs.filter({ hasText: "sweep of 12 runs" })).toHaveCount(1);
});
