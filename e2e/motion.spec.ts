import { expect, type Page, test } from "@playwright/test";
import { choose, goToStep, isAt, numbersOf, stepOn, whyOf } from "./journey";
import { openFirst } from "./links";
import { watchRolls } from "./measurements";
import { stepOf } from "./moments.mjs";

/** Steps until the number of free pages in a tank changes. */
async function stepUntilFreeChanges(page: Page): Promise<void> {
  const tanks = () =>
    page
      .getByRole("img", { name: /^Zone / })
      .evaluateAll((all) => all.map((tank) => tank.getAttribute("aria-label")).join());
  const before = await tanks();
  for (let i = 0; i < 80 && (await tanks()) === before; i += 1) await stepOn(page);
  expect(await tanks()).not.toBe(before);
}

test("numbers that a step changed roll and have their new value as text meanwhile", async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await stepUntilFreeChanges(page);
  await expect.poll(rolls).toBeGreaterThan(0);
  const tank = page.getByRole("img", { name: /^Zone Normal on node 1/ });
  const label = (await tank.getAttribute("aria-label")) ?? "";
  const free = /: ([\d,]+) of/.exec(label)?.[1] ?? "none";
  expect(await tank.locator(".lvl").textContent()).toBe(free);
});

test("a jump rolls no number", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await page.keyboard.press("Home");
  await isAt(page, 0);
  expect(await rolls()).toBe(0);
});

test("with reduced motion, no number rolls", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await stepUntilFreeChanges(page);
  expect(await rolls()).toBe(0);
});

test("with reduced motion, a line shows the path of the pages that a step moved", async ({
  page,
}) => {
  test.setTimeout(60_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const takes = stepOf("hogsKswapdHolds");
  const ways = page.locator(".travels path");
  // A jump shows no movement, however many pages it moved.
  await goToStep(page, takes);
  await expect(ways).toHaveCount(0);
  await goToStep(page, takes - 1);
  // This step takes a batch from the tail of a list: each page has its line until the next step.
  await stepOn(page);
  const [taken = 0] = numbersOf(await whyOf(page).textContent());
  expect(taken).toBeGreaterThan(0);
  await expect(ways).toHaveCount(taken);
  // A step back shows the movement in reverse.
  await page.keyboard.press("ArrowLeft");
  await isAt(page, takes - 1);
  await expect(ways).toHaveCount(taken);
});
