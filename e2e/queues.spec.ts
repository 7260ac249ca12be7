import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { atStart, clockOf, currentStep, whyOf } from "./journey";
import { sideways, smallTexts } from "./measurements";
import { FIRST_PARTS, SERIES, stormAddress, stormOfTwo } from "./storm.mjs";

const face = (page: Page) => page.getByRole("button", { name: "Wait queues", exact: true });
const queue = (page: Page, name: string) =>
  page.locator(".queue").filter({ has: page.getByRole("heading", { name, exact: true }) });
/** The elements below the place of the queues. */
const topOf = async (page: Page) =>
  (await page.locator(".map").first().boundingBox())?.y ?? Number.NaN;

async function runTo(page: Page, words: string): Promise<number> {
  const before = await currentStep(page);
  await page.getByRole("button", { name: /^Run to: / }).click();
  await page.getByRole("menuitemradio", { name: words, exact: true }).click();
  await expect(async () => expect(await currentStep(page)).toBeGreaterThan(before)).toPass();
  await expect(clockOf(page)).toBeEnabled();
  return currentStep(page);
}

test("queues appear in a reserved place when a task first waits, without a layout shift", async ({
  page,
}) => {
  await page.goto(`./${stormAddress(SERIES)}`);
  await atStart(page);
  await expect(page.getByText("Free lists")).toBeVisible();
  await expect(face(page)).toHaveCount(0);
  const before = await topOf(page);

  await runTo(page, "throttled reclaim");
  await expect(whyOf(page)).toContainText("The task sleeps for up to");
  await expect(face(page)).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".queue .pill").first()).toBeVisible();
  expect(await topOf(page)).toBe(before);

  // A token stands for a task: highlighting the token highlights the lane of the task.
  const token = page.locator(".queue .pill").first();
  await token.focus();
  await page.keyboard.press("Enter");
  await expect(token).toHaveAttribute("aria-pressed", "true");

  await page.getByRole("button", { name: "Free lists", exact: true }).click();
  await expect(page.locator(".queue")).toHaveCount(0);
  await expect(page.getByRole("table", { name: /^Free blocks/ })).toBeVisible();
  await face(page).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".queue")).toHaveCount(3);

  await page.keyboard.press("Home");
  await expect(clockOf(page)).toContainText("#0 ");
  await expect(face(page)).toHaveCount(0);
});

test("with two nodes, all faces of the stage have the same height even before any task waits", async ({
  page,
}) => {
  await page.goto(`./${stormOfTwo("5.15")}`);
  await atStart(page);
  const below = async () =>
    (await page.getByRole("region", { name: "Tasks" }).boundingBox())?.y ?? Number.NaN;
  await expect(face(page)).toHaveCount(0);
  await page.locator("main.stage").evaluate((stage) => stage.scrollTo(0, 0));
  const before = await below();
  await runTo(page, "throttled reclaim");
  await expect(face(page).first()).toBeVisible();
  for (const name of ["Wait queues", "Free lists", "LRU lists", "Wait queues"]) {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.locator("main.stage").evaluate((stage) => stage.scrollTo(0, 0));
    expect(await below(), name).toBe(before);
  }
  await expect(page.locator(".queue")).toHaveCount(8);
});

test("names the waker of an early wake-up and the timer of a full wait, in words and on the stage", async ({
  page,
}) => {
  await page.goto(`./${stormAddress("5.15", FIRST_PARTS)}`);
  await atStart(page);
  await runTo(page, "early wake-up");
  await expect(whyOf(page)).toContainText("ended the wait");
  const waker = (await whyOf(page).getByRole("button").first().textContent()) ?? "";
  expect(waker).not.toBe("");
  await expect(page.locator(".queue .last").filter({ hasText: `woken by ${waker}` })).toHaveCount(
    1,
  );
  // Its cause and its end are read from its records.
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  await expect(explain.getByRole("button", { name: "Wait", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(explain.locator(".about")).toContainText(`was woken by ${waker}.`);
  await expect(explain.getByRole("listitem").last()).toContainText("mm_vmscan_throttled:");

  await runTo(page, "wait timeout");
  await expect(explain.locator(".about")).toContainText("waited until the timeout");
  await expect(whyOf(page)).toContainText("it timed out after");
  await expect(page.locator(".queue .last").filter({ hasText: "timed out" })).toHaveCount(1);
});

test("with 5.15, wait_iff_congested does not wait and congestion_wait always does", async ({
  page,
}) => {
  await page.goto(`./${stormAddress("5.15")}`);
  await atStart(page);
  await page.keyboard.press("End");
  const sleeps = (name: string) => queue(page, name).getByRole("img").last();
  await expect(sleeps("wait_iff_congested")).toHaveAccessibleName(
    /this run: (\d+) waits, \1 ended at once/,
  );
  await expect(sleeps("congestion_wait")).toHaveAccessibleName(
    /this run: (\d+) waits, 0 ended at once, \1 lasted/,
  );
  await expect(sleeps("wait_iff_congested")).toHaveAccessibleName(
    /published: 82,434 waits, 82,394/,
  );
  await expect(queue(page, "wait_iff_congested")).toContainText("0 congested devices: no wait");
});

test("the queues have no small text and no sideways scrolling at any width", async ({ page }) => {
  await page.goto(`./${stormAddress("5.15")}`);
  await atStart(page);
  await runTo(page, "throttled reclaim");
  for (const width of [1920, 1440, 1280, 1024, 820]) {
    await page.setViewportSize({ width, height: 900 });
    // If nothing is beside the tanks, the queues share the place of the LRU lists.
    await face(page).click();
    await expect(page.locator(".queue")).toHaveCount(4);
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
});

test("axe finds no violation while reclaimers wait in either theme", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`./${stormAddress("5.15")}`);
  await atStart(page);
  await runTo(page, "throttled reclaim");
  await expect(page.locator(".queue")).toHaveCount(4);
  await axeFindsNothing(page);
});
