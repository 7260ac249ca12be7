import { expect, type Page, test } from "@playwright/test";
import { stepOn } from "./journey";
import { leave } from "./keep";
import { cursorOf, openFirst } from "./links";

/** Every control on the page must have an effect when it is pressed. */
async function isHonest(page: Page, title: string) {
  const card = page.getByRole("alertdialog", { name: title });
  await expect(card).toBeVisible();
  await expect(page.getByRole("button", { name: "Play" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Share" })).toBeDisabled();
  await expect(page.getByText("The engine is starting.")).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Keys and help" }).click();
  await expect(page.getByRole("dialog", { name: "Keys and help" })).toBeVisible();
  await leave(page);
  await expect(card).toBeVisible();
  return card;
}

test("shows a message and an alternative in a browser without WebAssembly", async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, "WebAssembly");
  });
  await page.goto("./#/workbench");
  const card = await isHonest(page, "This browser has no WebAssembly");
  await expect(card).toContainText("Open this page in");
});

test("reports a missing engine and loads it once it is available", async ({ page }) => {
  await page.route(/\.wasm$/, (route) => route.fulfill({ status: 404, body: "gone" }));
  await page.goto("./#/workbench");
  const card = await isHonest(page, "The engine did not load");
  await expect(card).toContainText(/HTTP|404|status|Response/i);
  await page.unroute(/\.wasm$/);
  await card.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("region", { name: "Why" })).toContainText("free pages");
});

test("reports a truncated engine", async ({ page }) => {
  await page.route(/\.wasm$/, (route) =>
    route.fulfill({ contentType: "application/wasm", body: "\0asm" }),
  );
  await page.goto("./#/workbench");
  await isHonest(page, "The engine did not load");
});

test("reports a worker that does not load", async ({ page }) => {
  await page.route(/engine\.worker.*\.js$/, (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto("./#/workbench");
  await isHonest(page, "The engine did not load");
});

test("a draft survives a visit without an engine", async ({ page }) => {
  await openFirst(page);
  const draft = () => page.evaluate(() => localStorage.getItem("mmscope.draft"));
  await stepOn(page);
  // The draft is saved with the address, shortly after the step.
  await cursorOf(page);
  const stored = await draft();
  await page.route(/\.wasm$/, (route) => route.abort());
  await page.goto("about:blank");
  await page.goto("./#/workbench");
  await isHonest(page, "The engine did not load");
  expect(stored).not.toBeNull();
  expect(await draft()).toBe(stored);
});

test("the first page says that the engine is missing, and its links still work", async ({
  page,
}) => {
  await page.route(/\.wasm$/, (route) => route.fulfill({ status: 404, body: "gone" }));
  await page.goto("./");
  const card = page.getByRole("alertdialog", { name: "The engine did not load" });
  await expect(card).toBeVisible();
  await expect(page.getByRole("button", { name: "Run on" })).toBeDisabled();
  await page.getByRole("link", { name: /^Watermarks and kswapd \d/ }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Watermarks and kswapd" }),
  ).toBeVisible();
  await expect(card).toBeVisible();
});
