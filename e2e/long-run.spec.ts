// A run of 100 GiB, to its end or to a chosen time.

import { expect, type Page, test } from "@playwright/test";
import { clockOf, goToStep, isAt } from "./journey";
import { cursorOf, openFirst, pack } from "./links";

test.setTimeout(120_000);

async function openReader(page: Page): Promise<void> {
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ v: 1, preset: "streaming-reader" }))}`);
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible({ timeout: 30_000 });
}

const progress = (page: Page) => page.getByRole("progressbar", { name: "Running to the end" });

test("a real-size run shows its progress, stops at a key, and steps back from there", async ({
  page,
}) => {
  await openReader(page);
  await page.keyboard.press("End");
  await expect(progress(page)).toBeVisible();
  await expect(page.getByText(/steps\/s$/)).toBeVisible();
  await expect(page.getByTestId("narration")).toContainText(/^Running to the end: \d+ %, step /);
  const done = () => progress(page).getAttribute("aria-valuetext");
  const first = await done();
  await expect.poll(done).not.toBe(first);
  await expect(page.getByRole("button", { name: "Into" })).toBeHidden();

  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect(progress(page)).toHaveCount(0);
  const stopped = await cursorOf(page);
  expect(stopped.step).toBeGreaterThan(1_000_000);
  await expect(page.getByTestId("narration")).toContainText(
    `Step ${stopped.step.toLocaleString("en-GB")}`,
  );
  // A complete reason contains a number or an object.
  await expect(
    page.getByRole("region", { name: "Why" }).locator(".sentence :is(b, button)").first(),
  ).toBeVisible();

  await page.keyboard.press("ArrowLeft");
  await isAt(page, stopped.step - 1);
  await goToStep(page, stopped.step);
  expect(await cursorOf(page)).toEqual(stopped);
});

test("the play button stops a run, and the dialog runs to a time", async ({ page }) => {
  await openReader(page);
  await page.getByRole("button", { name: "To end" }).click();
  await expect(progress(page)).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await cursorOf(page);
  await page.keyboard.press("g");
  const dialog = page.getByRole("dialog", { name: "Go to" });
  await expect(dialog).toContainText(/The run ends at 1100.s\./);
  const box = page.getByRole("textbox", { name: "Step or time" });
  await box.fill("200000");
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText(/The run ends at 1100.s\. For a step, enter #200000\./);
  await box.fill("60 s");
  await page.keyboard.press("Enter");
  await expect(clockOf(page)).toContainText("60.000", { timeout: 60_000 });
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
});

test("the dialog runs a small run to its end", async ({ page }) => {
  await openFirst(page);
  await page.keyboard.press("g");
  await page.getByRole("button", { name: "Run to the end" }).click();
  await expect(page.getByText("The run has ended here.")).toBeVisible();
  await expect(page.getByTestId("narration")).toContainText(/^The run has ended\./);
});
