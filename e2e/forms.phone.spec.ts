import { expect, test } from "@playwright/test";
import { openFirst } from "./links";

test("shows the details of machine and workload on a phone", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "The experiment" });
  await dialog.getByText("Inside the machine").click();
  await dialog.getByRole("button", { name: "Node 0", exact: true }).click();
  await dialog.getByText("Inside the workload").click();
  await dialog.getByRole("button", { name: "touch", exact: true }).click();
  await dialog.getByRole("button", { name: /^map heap/ }).click();
  await expect(dialog.getByRole("combobox", { name: "Operation" })).toBeVisible();
  const sticksOut = await dialog.evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(sticksOut).toBeLessThanOrEqual(0);
});
