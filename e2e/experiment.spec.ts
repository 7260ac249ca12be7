import { expect, type Page, test } from "@playwright/test";
import { atStart, clockOf } from "./journey";
import { cursorOf, documentOf, openFirst } from "./links";

const dialog = (page: Page) => page.getByRole("dialog", { name: "The experiment" });
/** The watermarks of a zone, from the label of its tank. */
const marksOf = async (page: Page) => {
  const tank = page.getByRole("img", { name: /^Zone Normal on node 0/ });
  return /min .*, low .*, high [\d,]+/.exec((await tank.getAttribute("aria-label")) ?? "")?.[0];
};

test("changes a tunable in the form, undoes the change and redoes it", async ({ page }) => {
  await openFirst(page);
  const marks = await marksOf(page);
  expect(marks).toBeDefined();
  const begun = await cursorOf(page);
  await page.keyboard.press("x");
  const field = dialog(page).getByRole("textbox", { name: "vm.min_free_kbytes" });
  await expect(field).toHaveValue("128");
  await field.fill("256");
  await dialog(page).getByRole("button", { name: "Open from the start" }).click();
  await expect(dialog(page)).toBeHidden();
  await atStart(page);
  expect(await marksOf(page)).not.toBe(marks);
  await expect.poll(() => JSON.stringify(documentOf(page.url()))).toContain('"256"');

  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await cursorOf(page)).hash).toBe(begun.hash);
  expect(await marksOf(page)).toBe(marks);
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => marksOf(page)).not.toBe(marks);
});

test("refuses an invalid value at its field and at its line in the JSON", async ({ page }) => {
  await openFirst(page);
  const begun = await cursorOf(page);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  const field = dialog(page).getByRole("textbox", { name: "vm.min_free_kbytes" });
  await field.fill("banana");
  await dialog(page).getByRole("button", { name: "Open from the start" }).click();
  await expect(field).toHaveAccessibleDescription(/"banana" is not a whole number/);
  await dialog(page).getByRole("button", { name: "JSON", exact: true }).click();
  const text = dialog(page).getByRole("textbox", { name: "The experiment as JSON" });
  const status = dialog(page).getByRole("status");
  await expect(status).toContainText("Line 9");
  await status.getByRole("button", { name: "Line 9" }).click();
  const chosen = () =>
    text.evaluate((area: HTMLTextAreaElement) =>
      area.value.slice(area.selectionStart, area.selectionEnd),
    );
  await expect.poll(chosen).toContain("banana");
  const whole = await text.inputValue();
  await text.fill('{\n  "kernel": "3.0",\n}');
  await expect(status).toContainText("Line 3");
  await expect(dialog(page).getByRole("button", { name: "Open from the start" })).toBeDisabled();
  await text.fill(whole.replace('"banana"', "256.5"));
  await dialog(page).getByRole("button", { name: "Open from the start" }).click();
  await expect(status).toContainText("Line 9");
  await expect(status).toContainText("is not a whole number");
  // A number is accepted with and without double quotes, as on the command line.
  await text.fill('{\n  "tunables": {\n    "vm.min_free_kbytes": 256\n  }\n}');
  await expect(status).toBeEmpty();
  await text.fill('{\n  "tunables": {\n    "vm.min_free_kbytes": 256\n  }\n');
  await expect(status).toContainText("Line 5");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  expect((await cursorOf(page)).hash).toBe(begun.hash);
  // An unfinished text survives Escape and a reload but does not change the open experiment.
  await page.reload();
  expect((await cursorOf(page)).hash).toBe(begun.hash);
  await page.keyboard.press("x");
  await expect(text).toHaveValue(/"vm.min_free_kbytes": 256\n/);
  await dialog(page).getByRole("button", { name: "Undo this edit" }).click();
  await expect(field).toHaveValue("128");
});

test("setting a tunable at the current step makes a fork that the link stores", async ({
  page,
}) => {
  await openFirst(page);
  const begun = await cursorOf(page);
  const marks = await marksOf(page);
  await page.keyboard.press("x");
  await dialog(page).getByRole("textbox", { name: "vm.min_free_kbytes" }).fill("256");
  await dialog(page)
    .getByRole("button", { name: /^Set at 0\.000/ })
    .click();
  await expect(dialog(page)).toBeHidden();
  // The moment of the fork is before the change; the end of the run is after it.
  await expect(clockOf(page)).not.toContainText("#0 ");
  expect(await marksOf(page)).toBe(marks);
  await page.getByRole("button", { name: "To end" }).click();
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  expect(await marksOf(page)).not.toBe(marks);
  await expect.poll(() => JSON.stringify(documentOf(page.url()))).toContain("interventions");
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await cursorOf(page)).hash).toBe(begun.hash);
});
