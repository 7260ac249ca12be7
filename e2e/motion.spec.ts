import { expect, type Page, test } from "@playwright/test";
import { openFirst } from "./links";
import { watchRolls } from "./looks";

/** Steps until the number of free pages in a tank changes. */
async function stepUntilFreeChanges(page: Page): Promise<void> {
  const tanks = () =>
    page
      .getByRole("img", { name: /^Zone / })
      .evaluateAll((all) => all.map((tank) => tank.getAttribute("aria-label")).join());
  const before = await tanks();
  for (let i = 0; i < 80 && (await tanks()) === before; i += 1) {
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(20);
  }
  expect(await tanks()).not.toBe(before);
}

test("numbers a step changed roll, and say the truth meanwhile", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await stepUntilFreeChanges(page);
  expect(await rolls()).toBeGreaterThan(0);
  const tank = page.getByRole("img", { name: /^Zone Normal on node 1/ });
  const said = (await tank.getAttribute("aria-label")) ?? "";
  const free = /: ([\d,]+) of/.exec(said)?.[1] ?? "none";
  expect(await tank.locator(".lvl").textContent()).toBe(free);
});

test("a jump rolls nothing", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await page.keyboard.press("Home");
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0 ");
  expect(await rolls()).toBe(0);
});

test("where motion is unwanted nothing rolls", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  const rolls = await watchRolls(page);
  await stepUntilFreeChanges(page);
  expect(await rolls()).toBe(0);
});
