import { expect, type Locator, type Page } from "@playwright/test";
import { type MOMENTS, stepOf } from "./moments.mjs";

/** Virtual time and step. */
export const clockOf = (page: Page) => page.getByTitle("Go to a step or time");

/** The Why sentence. */
export const whyOf = (page: Page) => page.getByRole("region", { name: "Why" }).locator(".sentence");

/** Chooses a ready-made experiment from the menu, as its title says. */
export async function choose(page: Page, title: RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: title }).click();
  // What was open before may stand at its start as well.
  const bare = title.source.replace(/^\^/, "");
  const opened = new RegExp(`^Scenario: ${bare}`, title.flags);
  await expect(page.getByRole("button", { name: opened })).toBeVisible({ timeout: 20_000 });
  await atStart(page);
}

/** Waits until an experiment that was opened stands at its first step, and can be stepped. */
export async function atStart(page: Page): Promise<void> {
  // The clock stands at 0 before the machine has booted, too: and then there is nothing to press.
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run", {
    timeout: 20_000,
  });
  await expect(clockOf(page)).toBeEnabled();
  await expect(clockOf(page)).toContainText("#0 ");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
}

/** Waits until the page stands at a step. */
export const isAt = (page: Page, step: number) =>
  expect(clockOf(page)).toContainText(`#${step.toLocaleString("en-GB")} `);

/** The step the clock shows. */
export async function shownStep(page: Page): Promise<number> {
  const [, digits = ""] = /#([\d,]+)/.exec((await clockOf(page).textContent()) ?? "") ?? [];
  return Number(digits.replaceAll(",", ""));
}

/** Presses a key that takes the machine elsewhere, and waits until it stands there. */
export async function pressOn(page: Page, key: string): Promise<void> {
  // Before there is a machine the key is kept for it, and where it begins is taken for where it went.
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  // By its step: the clock's text changes as well when it becomes known how long the run is.
  const before = await shownStep(page);
  await page.keyboard.press(key);
  await expect.poll(() => shownStep(page)).not.toBe(before);
}

/** Steps on by the arrow key, one by one as a person sees them; gives the step it stands at. */
export async function stepOn(page: Page, times = 1): Promise<number> {
  for (let i = 0; i < times; i += 1) await pressOn(page, "ArrowRight");
  return shownStep(page);
}

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

/** What can zoom a page map comes after the first figure, and takes the place of the map. */
export const canZoom = (page: Page) =>
  expect(page.locator(".map[data-level]").first()).toBeVisible();

/** The rows of the event log or of an explanation are all there, and of this moment. */
export const isFound = (part: Locator) => expect(part).toHaveAttribute("aria-busy", "false");

/** What has not changed for so many looks, so far apart, has come to rest. */
const RESTS = { looks: 3, every_ms: 250 };

/** A value read again and again until it stays the same: what moves has come to rest. */
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

/** Numbers of a text, thousands and all. */
export const numbersOf = (text: string | null): number[] =>
  [...(text ?? "").matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));

/** Has a lesson show everything, as somebody who does not want to be asked. */
export async function showAll(page: Page) {
  const show = page.getByRole("button", { name: "Show me anyway" });
  await show.first().waitFor();
  while ((await show.count()) > 0) await show.first().click();
}
