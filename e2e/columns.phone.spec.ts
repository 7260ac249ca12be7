import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { sideways, smallTargets } from "./measurements";

test("chooses columns and shows small charts on a phone without sideways scrolling", async ({
  page,
}) => {
  await page.goto("./#/report/fsmark");
  await page.getByText(/^Columns \(3\)/).click();
  await page.getByText("Small charts").click();
  await expect(page.getByRole("button", { name: /^Add / })).toBeVisible();
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await axeFindsNothing(page, { part: "details.columns" });
});
