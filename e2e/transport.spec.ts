import { expect, type Page, test } from "@playwright/test";
import { clockOf, goToStep, isAt, settled } from "./journey";
import { cursorOf, openFirst } from "./links";

test("plays, pauses, scrubs, and goes to the start and to the end", async ({ page }) => {
  await openFirst(page);
  const first = await cursorOf(page);
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(clockOf(page)).not.toContainText(`#${first.step.toLocaleString("en-GB")} `);
  await page.getByRole("button", { name: "Pause" }).click();
  const paused = await cursorOf(page);
  expect(paused.step).toBeGreaterThan(first.step);

  await page.getByRole("button", { name: "To start" }).click();
  await isAt(page, 0);
  await expect(page.getByRole("button", { name: "Step back" })).toBeDisabled();

  await page.getByRole("button", { name: "To end" }).click();
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  const end = (await clockOf(page).textContent()) ?? "";

  const playhead = page.getByRole("slider", { name: "Playhead" });
  const box = await settled(() => playhead.boundingBox());
  if (!box) throw new Error("the playhead has no place");
  await page.mouse.move(box.x + box.width * 0.75, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await expect(clockOf(page)).not.toHaveText(end);
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
  const middle = await cursorOf(page);
  expect(middle.step).toBeGreaterThan(0);
  await playhead.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await cursorOf(page)).step).toBeLessThan(middle.step);
});

test("the same step has the same hash however it was reached", async ({ page }) => {
  await openFirst(page);
  const { step, hash } = await cursorOf(page);
  await page.keyboard.press("Home");
  await isAt(page, 0);
  await goToStep(page, step);
  expect((await cursorOf(page)).hash).toBe(hash);
});

/** Chooses the unit of speed. */
async function chooseTempo(page: Page, tempo: "by events" | "by the clock"): Promise<void> {
  await page.getByRole("button", { name: /^Tempo/ }).click();
  await page.getByRole("menuitemradio", { name: new RegExp(`^${tempo}`) }).click();
}

test("a slower speed plays single steps", async ({ page }) => {
  await openFirst(page);
  await chooseTempo(page, "by the clock");
  const speed = page.getByRole("slider", { name: /Speed/ });
  await speed.focus();
  await page.keyboard.press("Home");
  await expect(speed).toHaveAttribute("aria-valuetext", "1 step per second");
  await page.keyboard.press("End");
  await expect(speed).toHaveAttribute("aria-valuetext", /10.s per second/);
});

test("the real-size machine plays, pauses and steps back", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: /^First touch on two nodes(?!, t)/ }).click();
  await expect(page.getByRole("button", { name: /^Machine: .*6 GiB/ })).toBeVisible();
  await chooseTempo(page, "by the clock");
  await page.getByRole("slider", { name: /Speed/ }).focus();
  for (let i = 0; i < 12; i += 1) await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(clockOf(page)).toContainText(/#[1-9][\d,]{8,} of/, { timeout: 30_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  const here = await cursorOf(page);
  await page.getByRole("button", { name: "Step back" }).click();
  await isAt(page, here.step - 1);
  await page.getByRole("button", { name: "Into" }).click();
  await expect.poll(async () => (await cursorOf(page)).step).toBeGreaterThanOrEqual(here.step);
});
