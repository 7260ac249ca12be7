import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { atStart } from "./journey";
import { documentOf } from "./links";
import { shrinkOf } from "./paid";

async function openDialog(page: Page) {
  await page.goto("./#/workbench?preset=anon-hog.teach");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 30_000 });
  await page.keyboard.press("Shift+W");
  await expect(shrinkOf(page)).toBeVisible();
  return shrinkOf(page);
}

test("finds a small example and opens it here and as a link", async ({ page, browser }) => {
  test.slow();
  const dialog = await openDialog(page);
  await dialog.getByLabel("Counter", { exact: true }).fill("pswpout");
  await axeFindsNothing(page, { part: "dialog" });
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByText(/^Done after \d/)).toBeVisible({ timeout: 120_000 });
  await expect(dialog.getByText(/^pswpout is \d+ on /)).toBeVisible();
  const pages = dialog.getByRole("row", { name: /^Pages of memory/ }).getByRole("cell");
  const [first = 0, smallest = 0] = (await pages.allTextContents()).map((text) =>
    Number(text.replaceAll(",", "")),
  );
  expect(smallest).toBeLessThan(first);
  await axeFindsNothing(page, { part: "dialog" });
  const url = await dialog.getByLabel("Link", { exact: true }).inputValue();

  await dialog.getByRole("button", { name: "Open it here" }).click();
  await expect(dialog).toBeHidden();
  await atStart(page);
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("button", { name: /^Scenario: A hog that must swap/ })).toBeVisible();

  const other = await (await browser.newContext()).newPage();
  await other.goto(url);
  await expect(other.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 30_000 });
  expect(JSON.stringify(documentOf(url))).toContain('["machine"]');
});

test("names the error in a statement", async ({ page }) => {
  const dialog = await openDialog(page);
  await dialog.getByLabel("Counter", { exact: true }).fill("alocstall");
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("did you mean allocstall?", {
    timeout: 30_000,
  });
  await dialog.getByLabel("Counter", { exact: true }).fill("oom_kill");
  await dialog.getByLabel("Number", { exact: true }).fill("1000");
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("the statement does not hold", {
    timeout: 30_000,
  });
});

test("a comparison names another kernel with patches and adds their prerequisites", async ({
  page,
}) => {
  const dialog = await openDialog(page);
  await dialog.getByRole("button", { name: "Add a comparison" }).click();
  await dialog.getByRole("combobox", { name: "On", exact: true }).nth(1).selectOption("5.15");
  await dialog.getByText("Patches", { exact: true }).click();
  await dialog.getByRole("checkbox", { name: /^noprogress-longer/ }).check();
  await expect(dialog.getByText(/^Also switched on/)).toContainText("throttle-timeouts");
  await expect(dialog.locator(".shrink-text code")).toContainText("in 5.15+");
  await expect(dialog.locator(".shrink-text code")).toContainText("+noprogress-longer");
  await axeFindsNothing(page, { part: "dialog" });
});
