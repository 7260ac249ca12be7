import { expect, test } from "@playwright/test";
import { openFirst } from "./links";

test("a phone reads why, steps forward and back, and finds every part", async ({ page }) => {
  await openFirst(page);
  const why = page.getByRole("region", { name: "Why" });
  const sentence = await why.textContent();
  await page.getByRole("button", { name: "Step", exact: true }).tap();
  await expect(why).not.toHaveText(sentence ?? "");
  await page.getByRole("button", { name: "Back", exact: true }).tap();
  await expect(why).toHaveText(sentence ?? "");

  const tabs = page.getByRole("navigation", { name: "View" });
  await tabs.getByRole("button", { name: "Code" }).tap();
  await expect(page.getByRole("region", { name: "Pseudo-code" })).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  await tabs.getByRole("button", { name: "Tasks" }).tap();
  await expect(page.getByRole("region", { name: "Tasks" })).toBeVisible();
  await tabs.getByRole("button", { name: "Lists" }).tap();
  await expect(page.getByRole("table", { name: /^Free blocks of/ }).first()).toBeVisible();

  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  const bar = page.getByRole("navigation", { name: "Transport" });
  for (const name of ["Back", "Play", "Step"]) {
    const box = await bar.getByRole("button", { name, exact: true }).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
  }
});
