import { expect, test } from "@playwright/test";
import { herdAddress } from "./herd.mjs";
import { sideways, smallTargets } from "./measurements";

test("shows processes by node between the CPUs and the tasks on a phone", async ({ page }) => {
  test.slow();
  await page.goto(`./${herdAddress()}`);
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run");
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  const panel = page.getByRole("region", { name: "Processes by node" });
  await expect(panel).toBeVisible();
  expect(await smallTargets(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  // A text opened by touch stays open.
  await page.locator(".hinton .map-grid").tap({ position: { x: 20, y: 20 } });
  await expect(panel.locator(".hinton .says")).toHaveText(/^herd\/1 on node 0/);
});
