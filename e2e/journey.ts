import { expect, type Locator, type Page } from "@playwright/test";
import { type MOMENTS, stepOf } from "./moments.mjs";

/** The virtual time and the step that the page shows. */
export const clockOf = (page: Page) => page.getByTitle("Go to a step or time");

/** The Why sentence. */
export const whyOf = (page: Page) => page.getByRole("region", { name: "Why" }).locator(".sentence");

/** Chooses a ready-made experiment from the menu by its title. */
export async function choose(page: Page, title: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: title }).click();
  // The previous experiment may be at its start as well.
  const bare = title.source.replace(/^\^/, "");
  const opened = new RegExp(`^Scenario: ${bare}`, title.flags);
  await expect(page.getByRole("button", { name: opened })).toBeVisible({ timeout: 20_000 });
  await atStart(page);
}

/** Waits until an opened experiment is at its first step and the page accepts steps. */
export async function atStart(page: Page): Promise<void> {
  // The clock also shows 0 before the machine has booted, when there is nothing to press.
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run", {
    timeout: 20_000,
  });
  await expect(clockOf(page)).toBeEnabled();
  await expect(clockOf(page)).toContainText("#0 ");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
}

/** Waits until the page is at a step. */
export const isAt = (page: Page, step: number) =>
  expect(clockOf(page)).toContainText(`#${step.toLocaleString("en-GB")} `);

/** The step that the clock shows. */
export async function currentStep(page: Page): Promise<number> {
  const [, digits = ""] = /#([\d,]+)/.exec((await clockOf(page).textContent()) ?? "") ?? [];
  return Number(digits.replaceAll(",", ""));
}

/** Presses a key that moves to another step, and waits until the machine is there. */
export async function pressOn(page: Page, key: string): Promise<void> {
  // A key pressed before boot is queued, and the test would mistake the first step for the key's
  // target.
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  // Compares steps: the clock's text also changes when the length of the run becomes known.
  const before = await currentStep(page);
  await page.keyboard.press(key);
  await expect.poll(() => currentStep(page)).not.toBe(before);
}

/** Steps with the arrow key, one step at a time, and returns the step that the page reaches. */
export async function stepOn(page: Page, times = 1): Promise<number> {
  for (let i = 0; i < times; i += 1) await pressOn(page, "ArrowRight");
  return currentStep(page);
}

/** Goes to a step with the dialog. */
export async function goToStep(page: Page, step: number): Promise<void> {
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(`#${step}`);
  await page.keyboard.press("Enter");
  await isAt(page, step);
}

/** Goes to a moment found by an event. */
export async function goToMoment(page: Page, name: keyof typeof MOMENTS): Promise<number> {
  const step = stepOf(name);
  await goToStep(page, step);
  return step;
}

/** Steps back once, then forward again; the text in between must differ from the present text. */
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

/** The zoomable page map arrives after the first figure and replaces the plain one. */
export const canZoom = (page: Page) =>
  expect(page.locator(".map[data-level]").first()).toBeVisible();

/** Waits until the event log or an explanation has all rows of the current step. */
export const isFound = (part: Locator) => expect(part).toHaveAttribute("aria-busy", "false");

/** A value is stable if it stays the same for this number of reads at this interval. */
const RESTS = { looks: 3, every_ms: 250 };

/** Reads a value until it is stable, that is, until the movement has ended. */
export async function settled<T>(read: () => Promise<T>): Promise<T> {
  let last = await read();
  let same = 0;
  await expect
    .poll(
      async () => {
        const before = JSON.stringify(last);
        last = await read();
        same = JSON.stringify(last) === before ? same + 1 : 0;
        return same;
      },
      { intervals: [RESTS.every_ms] },
    )
    .toBeGreaterThanOrEqual(RESTS.looks);
  return last;
}

/** Numbers of a text, including those with thousands separators. */
export const numbersOf = (text: string | null): number[] =>
  [...(text ?? "").matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));

/** Clicks every "Show me anyway" button, so that the lesson shows all of its text. */
export async function showAll(page: Page) {
  const show = page.getByRole("button", { name: "Show me anyway" });
  await show.first().waitFor();
  while ((await show.count()) > 0) await show.first().click();
}
