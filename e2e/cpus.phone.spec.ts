import { expect, test } from "@playwright/test";
import { crowdAddress } from "./crowd.mjs";
import { sideways, smallTargets, smallTexts } from "./measurements";

for (const [nodes, cpus] of [
  [2, 2],
  [4, 16],
] as const) {
  test(`shows ${nodes} nodes of ${cpus} CPUs above the tasks on a phone`, async ({ page }) => {
    test.slow();
    await page.goto(`./${crowdAddress({ nodes, cpus, tasks: nodes * cpus + 2 })}`);
    await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run");
    await page.getByRole("button", { name: "Tasks", exact: true }).click();
    await expect(page.locator(".cpu")).toHaveCount(nodes * cpus);
    await expect(page.getByRole("region", { name: "CPUs" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Tasks" })).toBeVisible();
    expect(await smallTexts(page)).toEqual([]);
    expect(await smallTargets(page)).toEqual([]);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  });
}
