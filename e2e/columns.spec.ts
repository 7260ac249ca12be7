import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

const columnsOf = (page: Page) => page.locator("details.columns");

test("chooses the columns of a report and their order, and stores both in the address", async ({
  page,
}) => {
  test.slow();
  await page.goto("./#/report/fsmark");
  const columns = columnsOf(page);
  await columns.getByText(/^Columns \(3\)/).click();
  const names = columns.locator("ol .column-name");
  const first = (await names.first().textContent())?.replace("baseline", "") ?? "";
  await columns.getByRole("button", { name: `Move ${first} one place back` }).click();
  await expect(names.nth(1)).toContainText(first);
  await expect.poll(() => page.url()).toContain("columns=");

  await columns.getByRole("combobox", { name: "Kernel" }).selectOption("5.15");
  await columns.getByRole("checkbox", { name: /^noprogress-longer/ }).check();
  await expect(columns.getByText(/^Also switched on/)).toContainText("throttle-timeouts");
  await columns.getByRole("button", { name: /^Add 5\.15\+/ }).click();
  await expect(names).toHaveCount(4);
  await expect(names.last()).toContainText("not published");
  await expect(page.locator("table.compared").first()).toContainText("noprogress-longer");
  await axeFindsNothing(page, { part: "details.columns" });

  await page.reload();
  await expect(names).toHaveCount(4);
  await columns.getByRole("button", { name: "Show the published columns" }).click();
  await expect.poll(() => page.url()).not.toContain("columns=");
});

test("runs one workload with the classic lists and with MGLRU", async ({ page }) => {
  test.slow();
  await page.goto("./#/report");
  await page.getByRole("link", { name: "Compare the classic LRU lists with MGLRU" }).click();
  const columns = columnsOf(page);
  const names = columns.locator("ol .column-name");
  await expect(names.first()).toContainText("6.12+lru_gen.enabled=0");
  await expect(names.last()).toContainText("6.12+lru_gen.enabled=7");
  await expect(page.getByRole("button", { name: /^Compare the classic/ })).toHaveCount(0);

  await page.getByRole("radio", { name: "Teaching size" }).check();
  await page.getByRole("button", { name: "Run 2 kernels" }).click();
  await expect(page.getByText("All kernels have run.")).toBeVisible({ timeout: 60_000 });
  const teaching = page.getByRole("region", { name: "Teaching size, run here" });
  const reclaimed = teaching.getByRole("row", { name: /^Kswapd pages reclaimed/ });
  const [, , classic, generations] = await reclaimed.getByRole("cell").allTextContents();
  for (const pages of [classic, generations]) expect(pages).toMatch(/^[\d,]+$/);
  expect(generations).not.toBe(classic);

  const divergence = page.getByRole("region", { name: "Where two columns diverge" });
  await divergence.getByRole("button", { name: "Find where they diverge" }).click();
  await expect(divergence.getByRole("row", { name: /lru_gen.enabled=7/ })).toBeVisible({
    timeout: 60_000,
  });
  await axeFindsNothing(page, { part: "details.columns" });
});

test("names unknown columns of the address and shows the columns of the table", async ({
  page,
}) => {
  await page.goto("./#/report/fsmark?columns=9.9,8.8");
  await expect(page.getByRole("alert")).toContainText("9.9 (no kernel 9.9), 8.8 (no kernel 8.8)");
  await expect(page.locator("table.compared").first()).toBeVisible();
});

test("draws small charts with one scale for each row or each column", async ({ page }) => {
  test.slow();
  await page.goto("./#/report/fsmark");
  const charts = page.locator("details.multiples");
  await charts.getByText("Small charts").click();
  const rows = await charts.locator("figure").count();
  await charts.getByRole("button", { name: "One chart for each column" }).click();
  await expect(charts.locator("figure")).toHaveCount(2);
  expect(rows).toBeGreaterThan(2);
  await axeFindsNothing(page, { part: "details.multiples" });
});
