import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { atStart, choose } from "./journey";
import { openFirst } from "./links";

test("lists scenarios below headings and finds them by typed letters", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: /^Scenario/ }).click();
  const menu = page.getByRole("menu", { name: "Scenario" });
  await expect(menu.getByRole("group", { name: /^Watermarks/ })).toContainText("Marks moved");
  await expect(
    menu.getByRole("group", { name: "Published: reclaim throttling, 2021" }),
  ).toContainText("stutterp");
  await page.keyboard.type("wri");
  await expect(menu.getByRole("menuitemradio", { name: /^Writers faster/ }).first()).toBeFocused();
  const { violations } = await new AxeBuilder({ page }).include(".menu:popover-open").analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Scenario: Writers faster/ })).toBeVisible();
});

test("the title says that the workload was changed and names missing kernel features at the start", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await expect(page.getByRole("region", { name: "Why" })).toContainText(
    /Not modelled: .*compaction/,
  );
  await page.getByRole("button", { name: /^Workload/ }).click();
  await page.getByRole("menuitemradio", { name: /^Writers faster than the disk/ }).click();
  await expect(
    page.getByRole("button", { name: "Scenario: A hog that must swap, teaching size (changed)" }),
  ).toBeVisible({ timeout: 20_000 });
  await atStart(page);
});

test("dragging along the timeline with Shift selects no text", async ({ page }) => {
  await openFirst(page);
  const chart = page
    .getByRole("slider", { name: /^Moment/ })
    .or(page.locator(".scrub"))
    .first();
  const box = await page.locator(".time svg").first().boundingBox();
  if (!box) throw new Error("there is no timeline");
  await expect(chart).toBeVisible();
  await page.getByRole("heading", { name: "Why" }).click();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(box.x + box.width / 2, box.y - 200, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  expect(await page.evaluate(() => getSelection()?.toString() ?? "")).toBe("");
});

for (const [preset, size] of [
  ["first-touch.teach", { width: 1440, height: 900 }],
  ["streaming-reader", { width: 1280, height: 720 }],
  ["stutterp.teach", { width: 390, height: 844 }],
  ["stress-highalloc.teach", { width: 700, height: 900 }],
] as const) {
  test(`${preset} runs at ${size.width} px without a console message`, async ({ page }) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.setViewportSize(size);
    await page.goto(`./#/workbench?preset=${preset}`);
    await expect(page.getByRole("region", { name: "Why" }).first()).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByTitle("Go to a step or time")).not.toContainText("#0 ", {
      timeout: 30_000,
    });
    await page.keyboard.press("Space");
    await page.waitForTimeout(1500);
    await page.keyboard.press("Space");
    for (const width of [1440, 390, 900]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(300);
    }
    expect(complaints).toEqual([]);
  });
}

test("the menu of a narrow window has the buttons that do not fit the bar", async ({ page }) => {
  await page.goto("./#/workbench?preset=first-touch.teach");
  const menu = page.getByRole("button", { name: "Menu" });
  const dialog = page.getByRole("dialog", { name: "Menu" });
  await expect(page.getByRole("button", { name: "Compare", exact: true })).toBeHidden();
  await menu.click();
  await expect(dialog).toBeVisible();
  await axeFindsNothing(page, { part: "dialog" });
  await expect(dialog.getByRole("button", { name: /^Sweep this experiment/ })).toBeVisible();
  await dialog.getByRole("button", { name: /^Who paid for reclaim/ }).click();
  await expect(page.getByRole("dialog", { name: /paid/i })).toBeVisible();
  await page.keyboard.press("Escape");
  await menu.click();
  await dialog.getByRole("button", { name: /^Compare/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("First touch");
  await expect(page).toHaveURL(/#\/compare/);
  await page.goBack();
  await page.setViewportSize({ width: 1680, height: 900 });
  await expect(page.getByRole("button", { name: "Compare", exact: true })).toBeVisible();
  await expect(menu).toBeHidden();
});
