import { expect, type Page, test } from "@playwright/test";
import { stepOn } from "./journey";

test.use({ serviceWorkers: "allow" });

/** The browser keeps the page: its service worker answers for it. */
const isKept = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    return active?.state === "activated" && navigator.serviceWorker.controller !== null;
  });

test("after one visit home, workbench and a lesson work without a network", async ({
  page,
  context,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto("./");
  await expect(page.getByText(/not above the low mark/).first()).toBeVisible({ timeout: 20_000 });
  await expect.poll(() => isKept(page)).toBe(true);

  await context.setOffline(true);
  await page.reload();
  await expect(page.getByText(/not above the low mark/).first()).toBeVisible({ timeout: 20_000 });
  await page.goto("./#/workbench");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  await stepOn(page);
  await page.getByRole("button", { name: "Keys and help" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goto("./#/lesson/watermarks-and-kswapd");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
  expect(complaints).toEqual([]);
});
