import { expect, type Page } from "@playwright/test";
import { type MOMENTS, stepOf } from "./moments.mjs";

/** Chooses a ready-made experiment from the menu, as its title says. */
export async function choose(page: Page, title: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: title }).click();
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0 ", { timeout: 20_000 });
  // The clock stands at 0 before the machine has booted, too.
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible({ timeout: 20_000 });
}

/** Waits until the page stands at a step. */
export const isAt = (page: Page, step: number) =>
  expect(page.getByTitle("Go to a step or time")).toContainText(
    `#${step.toLocaleString("en-GB")} `,
  );

/** Goes to a step by the dialog. */
export async function goToStep(page: Page, step: number): Promise<void> {
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(`#${step}`);
  await page.keyboard.press("Enter");
  await isAt(page, step);
}

/** Goes to a moment found by what happens there. */
export async function goToMoment(page: Page, name: keyof typeof MOMENTS): Promise<number> {
  const step = stepOf(name);
  await goToStep(page, step);
  return step;
}

/** The Why sentence. */
export const whyOf = (page: Page) => page.getByRole("region", { name: "Why" }).locator(".sentence");

/** One step back, then forwards again; what is read in between must differ from what is read now. */
export async function undoAndRedo(
  page: Page,
  step: number,
  read: () => Promise<string | null>,
): Promise<void> {
  const now = await read();
  const sentence = (await whyOf(page).textContent()) ?? "";
  await page.keyboard.press("ArrowLeft");
  await isAt(page, step - 1);
  expect(await read()).not.toBe(now);
  await goToStep(page, step);
  await expect(whyOf(page)).toHaveText(sentence);
  expect(await read()).toBe(now);
}

/** Numbers of a text, thousands and all. */
export const numbersOf = (text: string | null): number[] =>
  [...(text ?? "").matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
