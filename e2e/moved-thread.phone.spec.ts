import { expect, type Page, test } from "@playwright/test";
import { openPreset } from "./links";
import { cutTexts, overlaps, sideways, smallTargets, smallTexts } from "./measurements";

const memory = (page: Page) => page.getByRole("region", { name: "Memory by node" });

test("shows the whole memory of nodes above the CPUs on a phone and moves a thread", async ({
  page,
}) => {
  test.slow();
  await openPreset(page, "first-touch.threads.teach");
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run");
  await expect(memory(page)).toBeHidden();
  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  await expect(memory(page)).toBeVisible();
  const cells = memory(page).locator("td");
  await expect(cells).toHaveCount(4);
  expect(await smallTexts(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  expect(await cutTexts(page, ".mem-nodes")).toEqual([]);
  expect(await overlaps(page, ".mem-nodes .flow")).toEqual([]);

  await page.keyboard.press("d");
  const form = page.getByRole("group", { name: "Move a task" });
  await form.getByRole("combobox", { name: "Task to move" }).selectOption("main/1");
  await form.getByRole("combobox", { name: "Where it may run" }).selectOption("1");
  await form.getByRole("button", { name: "Move", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Disturb the machine" })).toBeHidden();
  await expect(memory(page)).toBeVisible();
});
