import { expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";
import { smallTargets } from "./measurements";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

test("shows the lesson on a phone with both nodes in view and builds a run", async ({ page }) => {
  await page.goto("./#/lesson/the-stall-that-was-not-the-disk");
  const tanks = [0, 1].map((node) =>
    page.getByRole("img", { name: new RegExp(`^Zone Normal on node ${node}`) }),
  );
  for (const tank of tanks) await expect(tank).toBeVisible();
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.getByRole("button", { name: "pages being written" }).tap();
  await build
    .getByRole("group", { name: "vm.zone_reclaim_mode" })
    .getByRole("button", { name: "1", exact: true })
    .tap();
  await build.getByRole("button", { name: "Try it" }).tap();
  await expect(build.getByText("Built.")).toBeVisible();
  for (const tank of tanks) await expect(tank).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});
