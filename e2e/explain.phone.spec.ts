import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { goToMoment, isFound } from "./journey";
import { pack } from "./links";

test("shows the explanations below the code on a phone without cutting anything off", async ({
  page,
}) => {
  const x = pack(JSON.stringify({ v: 1, preset: "anon-hog.teach" }));
  await page.goto(`./#/workbench?x=${x}`);
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible({ timeout: 20_000 });
  await goToMoment(page, "hogReclaims");
  await page.getByRole("button", { name: "Code", exact: true }).click();
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  const EXPECTED = {
    "Page frame": /^Select a page frame/,
    Reclaim: /, for its (own request|node)/,
    Allocation: /^Direct/,
  };
  for (const [part, words] of Object.entries(EXPECTED)) {
    await explain.getByRole("button", { name: part, exact: true }).click();
    await expect(explain.getByText(words).first()).toBeVisible();
    // No page frame is chosen, so nothing is searched.
    if (part !== "Page frame") await isFound(explain.locator(".look"));
    const cut = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(cut).toBeLessThanOrEqual(0);
    const { violations } = await new AxeBuilder({ page }).include(".explain").analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);
  }
  await expect(explain.getByText(/^Direct reclaim began/)).toBeVisible();
});
