// Processes with threads on four nodes under numa/core. Checks the location of their memory and threads by
// keyboard and in words, and the decisions about their placement.

import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { herdAddress } from "./herd.mjs";
import { atStart, currentStep } from "./journey";
import { sideways, smallTexts } from "./measurements";

const panel = (page: Page) => page.getByRole("region", { name: "Processes by node" });
const matrix = (page: Page) => page.getByRole("grid", { name: /^Processes by node/ });
const lines = (page: Page) => page.getByRole("grid", { name: /^Local share/ });

/** Runs to the stop in the link. */
async function runToStop(page: Page) {
  await page.getByRole("tab", { name: "Breakpoints" }).click();
  await page.getByRole("button", { name: "Next hit" }).click();
  await expect.poll(() => currentStep(page), { timeout: 60_000 }).toBeGreaterThan(1000);
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 60_000 });
}

test("draws an exchange as two moves between CPUs and shows the location of memory as squares", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`./${herdAddress({ cpus: true })}`);
  await atStart(page);
  const decided = page.locator(".cpus .placing");
  await expect(decided).toContainText("No placement decision");
  const height = async () => (await page.locator(".cpus").boundingBox())?.height;
  const before = await height();
  await runToStop(page);
  await expect(decided).toContainText(/flips with thread\/\d+, which runs on CPU \d of node \d/);
  await expect(page.locator(".cpu-arcs .intent")).toHaveCount(2);
  expect(await height()).toBe(before);

  // The state of the same step by process and node.
  await page.getByRole("button", { name: "Processes by node", exact: true }).click();
  await expect(panel(page)).toBeVisible();
  await expect(page.getByRole("region", { name: "CPUs" })).toHaveCount(0);
  await expect(page.locator(".hinton li .name")).toHaveCount(4);
  await expect.poll(() => page.url()).toContain("x=");

  // The keyboard reads the matrix cell by cell, in words and numbers.
  await matrix(page).focus();
  await page.keyboard.press("Home");
  const says = matrix(page).getByRole("gridcell");
  const cell = /^herd\/1 on node 0: [\d.]+.% of its memory, \d+ of \d+ pages; \d of 2 threads/;
  await expect(says).toHaveText(cell);
  await expect(panel(page).locator(".hinton .says")).toHaveText(cell);
  await page.keyboard.press("ArrowRight");
  await expect(says).toHaveText(/^herd\/1 on node 1/);
  await page.keyboard.press("ArrowDown");
  await expect(says).toHaveText(/^herd\/2 on node 1/);

  // The keyboard reads the lines, and Enter goes to the step.
  const step = await currentStep(page);
  await lines(page).focus();
  await page.keyboard.press("Home");
  await expect(lines(page).getByRole("gridcell")).toHaveText(/^herd\/\d at .*threads on/);
  await page.keyboard.press("Enter");
  await expect.poll(() => currentStep(page)).toBeLessThan(step);
});

test("returning to a step shows the same view", async ({ page }) => {
  test.slow();
  await page.goto(`./${herdAddress()}`);
  await atStart(page);
  await runToStop(page);
  const step = await currentStep(page);
  const shown = () => page.locator(".hinton svg").last().innerHTML();
  const there = await shown();
  await page.keyboard.press("Home");
  await expect.poll(() => currentStep(page)).toBe(0);
  await expect.poll(shown).not.toBe(there);
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(`#${step}`);
  await page.keyboard.press("Enter");
  await expect.poll(() => currentStep(page)).toBe(step);
  await expect.poll(shown).toBe(there);
});

test("processes by node are readable at all widths, and axe finds no violation in either theme", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`./${herdAddress()}`);
  await atStart(page);
  await runToStop(page);
  await expect(panel(page)).toBeVisible();
  for (const width of [1920, 1440, 1024, 700]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
  await axeFindsNothing(page);
});
