import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { openFirst } from "./links";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Each dialog is looked at in one theme, the page in both. */
const DIALOG_KEYS = { light: ["?", "s"], dark: ["p", "g"] } as const;

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing in the ${theme} theme`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await openFirst(page);
    const whole = await new AxeBuilder({ page }).withTags(TAGS).analyze();
    expect(whole.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
    for (const key of DIALOG_KEYS[theme]) {
      await page.keyboard.press(key);
      await expect(page.getByRole("dialog")).toBeVisible();
      const dialog = await new AxeBuilder({ page }).include("dialog").withTags(TAGS).analyze();
      expect(dialog.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
    }
  });
}

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on the first page and in a lesson in the ${theme} theme`, async ({
    page,
  }) => {
    test.slow();
    const violations = async () => {
      const { violations: found } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
      return found.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]);
    };
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto("./");
    await expect(page.getByText(/not above the low mark/).first()).toBeVisible({ timeout: 20_000 });
    expect(await violations()).toEqual([]);
    await page.getByRole("link", { name: /^Watermarks and kswapd/ }).click();
    const film = page
      .getByRole("region", { name: "Prediction", exact: true })
      .filter({ hasText: /streams the whole film/ });
    await film.getByRole("radio", { name: /^kswapd/ }).check();
    await film.getByRole("button", { name: "Run it" }).click();
    await expect(film.getByText(/^Not this time/)).toBeVisible({ timeout: 20_000 });
    expect(await violations()).toEqual([]);
  });
}

test("nothing shifts while a person steps", async ({ page }) => {
  await openFirst(page);
  await page.evaluate(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as unknown as { value: number }).value);
    }).observe({ type: "layout-shift", buffered: false });
  });
  for (let i = 0; i < 25; i += 1) await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(300);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  expect(shifts.reduce((a, b) => a + b, 0)).toBeLessThan(0.02);
});
