// A run tells its story. The test plays the run by events with its own clock, so that no journey waits.

import { expect, type Page, test } from "@playwright/test";
import { choose, clockOf, currentStep } from "./journey";
import { cursorOf, openFirst } from "./links";

const ticker = (page: Page) => page.getByRole("region", { name: "What happens" });
const sentence = (page: Page, words: RegExp) => ticker(page).getByRole("button", { name: words });

/** Opens a run at its start, with the page's clock controlled by the test. */
async function openAtStart(page: Page, title: RegExp): Promise<void> {
  await openFirst(page);
  await choose(page, title);
  await page.clock.install();
}

/** Lets wall time pass until a sentence appears. */
async function stepUntilSentence(page: Page, words: RegExp): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.runFor(1000);
        return sentence(page, words).count();
      },
      { intervals: [10], timeout: 40_000 },
    )
    .toBeGreaterThan(0);
}

/** Sentences that are not within the ticker's own height. */
function besideTheLine(box: Element): (string | null)[] {
  const { top, bottom } = box.getBoundingClientRect();
  const shown = [...box.querySelectorAll("li > button")];
  const isBeside = (one: Element) => {
    const rect = one.getBoundingClientRect();
    return rect.top < top || rect.bottom > bottom;
  };
  return shown.filter(isBeside).map((one) => one.textContent);
}

test("shows each event as a sentence during playback, skips waits, and returns to the step after a reload", async ({
  page,
}) => {
  await openAtStart(page, /^A hog that must swap, teaching size/);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await stepUntilSentence(page, /DMA32 on node 0 fails hog\/1’s watermark check: \d+ free, low/);
  const first = await currentStep(page);
  await stepUntilSentence(page, /DMA on node 0 fails hog\/1’s watermark check/);
  await expect.poll(() => currentStep(page)).toBeGreaterThan(first);
  // Under the pointer the ticker pauses, while the run continues.
  await ticker(page).getByRole("button", { name: "What happened before" }).hover();
  const still = await ticker(page).getByRole("list").textContent();
  const held = await currentStep(page);
  await expect
    .poll(async () => {
      await page.clock.runFor(1000);
      return currentStep(page);
    })
    .toBeGreaterThan(held);
  expect(await ticker(page).getByRole("list").textContent()).toBe(still);
  // Without a pause, the address was still updated.
  await expect.poll(() => page.url()).toContain("x=");
  await page.reload();
  await expect.poll(() => currentStep(page), { timeout: 20_000 }).toBeGreaterThanOrEqual(first);
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
});

test("a sentence leads to its step, and Enter opens the history of sentences", async ({ page }) => {
  await openFirst(page);
  await expect(sentence(page, /isolates \d+ inactive anonymous pages/).first()).toBeAttached();
  // Each is in the middle of its line, one line high.
  expect(await ticker(page).evaluate(besideTheLine)).toEqual([]);
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  const end = await currentStep(page);
  const open = ticker(page).getByRole("button", { name: "What happened before" });
  await open.focus();
  await page.keyboard.press("Enter");
  const history = page.getByRole("region", { name: "What happened before" });
  const stall = history.getByRole("button", { name: /huge\/1 reclaims directly/ }).first();
  await expect(stall).toBeVisible({ timeout: 20_000 });
  await stall.click();
  await expect.poll(() => currentStep(page)).toBeLessThan(end);
  await expect(page.getByRole("region", { name: "Call stack" })).toContainText("try_to_free_pages");
  await open.focus();
  await page.keyboard.press("Escape");
  await expect(history).toBeHidden();
});

test("N runs to the next event of the chosen kind, and Shift+N goes back to the previous one", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await page.getByRole("button", { name: /^Run to: / }).click();
  await page.getByRole("menuitemradio", { name: "direct reclaim" }).click();
  await expect.poll(() => currentStep(page)).toBeGreaterThan(0);
  const { step: first } = await cursorOf(page);
  await page.keyboard.press("n");
  await expect.poll(() => currentStep(page)).toBeGreaterThan(first);
  const { step: second } = await cursorOf(page);
  await page.keyboard.press("Shift+N");
  await expect.poll(() => currentStep(page)).toBe(first);
  expect(second).toBeGreaterThan(first);
  // Before the first there is none: the page says so and does not move.
  await page.keyboard.press("Shift+N");
  await expect(page.locator(".notice")).toContainText("No direct reclaim before this moment.");
  await expect(clockOf(page)).toContainText(`#${first.toLocaleString("en-GB")} `);
});
