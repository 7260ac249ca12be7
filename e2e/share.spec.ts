import { expect, test } from "@playwright/test";
import { cursorOf, documentOf, openFirst, pack } from "./links";

test("a shared link reproduces the moment in another browser", async ({
  page,
  browser,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openFirst(page);
  const first = await cursorOf(page);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await cursorOf(page)).step).toBe(first.step + 3);
  const cursor = await cursorOf(page);
  await page.getByRole("button", { name: "Share" }).click();
  const field = page.getByRole("textbox", { name: "Link" });
  await expect(field).toHaveValue(/x=/);
  await page.getByRole("button", { name: "Copy the link" }).click();
  await expect(page.getByText("Copied.")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(await field.inputValue());

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByText(/^Reproduced: step/).first()).toBeVisible();
  expect(await cursorOf(elsewhere)).toEqual(cursor);
  await elsewhere.context().close();
});

test("the link can be copied by hand where the clipboard is denied", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await openFirst(page);
  await page.keyboard.press("s");
  await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(/x=/);
  await page.getByRole("button", { name: "Copy the link" }).click();
  await expect(page.getByText(/denies the clipboard/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Link" })).toBeFocused();
});

test("a link by an older engine goes to the same time and says so", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const document = documentOf(page.url());
  const cursor = { ...(document.cursor as object), engine: "0.0.1" };
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ ...document, cursor }))}`);
  await expect(page.getByText(/made by engine 0\.0\.1; this one is newer/).first()).toBeVisible();
});

test("a link whose state differs says so", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const document = documentOf(page.url());
  const cursor = { ...(document.cursor as object), hash: "0123456789abcdef" };
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ ...document, cursor }))}`);
  await expect(page.getByText(/differs: its state hash is/).first()).toBeVisible();
});
