import { expect, type Page, test } from "@playwright/test";
import { choose, goToMoment, isAt, stepOn, whyOf } from "./journey";
import { cursorOf, documentOf, openFirst } from "./links";

const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
const transport = (page: Page) => page.getByRole("navigation", { name: "Transport" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Disturb the machine" });
const tasks = (page: Page) => page.getByRole("region", { name: "Tasks" });

async function atReclaim(page: Page): Promise<{ step: number; why: string }> {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const step = await goToMoment(page, "hogWakesKswapd");
  return { step, why: (await whyOf(page).textContent()) ?? "" };
}

test("kills a task at the current step and restores it with undo", async ({ page }) => {
  const { step, why } = await atReclaim(page);
  const begun = await cursorOf(page);
  await page.keyboard.press("d");
  await dialog(page).getByRole("combobox", { name: "Task to kill" }).selectOption("hog/1");
  await dialog(page).getByRole("button", { name: "Kill", exact: true }).click();
  await expect(dialog(page)).toBeHidden();
  // The run before the intervention is unchanged: the same step has the same reason.
  await isAt(page, step);
  await expect(whyOf(page)).toHaveText(why);
  await expect(
    transport(page).getByRole("button", { name: /^Fork at .*: kill hog\/1/ }),
  ).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  await expect(tasks(page).getByRole("button", { name: /^hog\/1/ })).toContainText("has exited");

  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await cursorOf(page)).hash).toBe(begun.hash);
  await expect(transport(page).getByRole("button", { name: /^Fork at/ })).toHaveCount(0);
});

test("a link contains the interventions of a machine", async ({ page, browser }) => {
  const { step } = await atReclaim(page);
  await page.keyboard.press("d");
  await dialog(page).getByRole("spinbutton", { name: "Percent of memory" }).fill("20");
  await dialog(page).getByRole("button", { name: "Start", exact: true }).click();
  await expect(dialog(page)).toBeHidden();
  await isAt(page, step);
  // Until the page updates the address, it is the address of the previous run at the same step.
  await expect.poll(() => JSON.stringify(documentOf(page.url()))).toContain("interventions");
  const disturbed = await cursorOf(page);
  expect(disturbed.step).toBe(step);

  const other = await (await browser.newContext()).newPage();
  await other.goto(page.url());
  await expect
    .poll(async () => (await cursorOf(other)).hash, { timeout: 20_000 })
    .toBe(disturbed.hash);
  await expect(
    transport(other).getByRole("button", { name: /^Fork at .*: start hog2/ }),
  ).toBeVisible();
  await other.keyboard.press("d");
  await dialog(other).getByRole("button", { name: "Remove: start hog2" }).click();
  await expect(transport(other).getByRole("button", { name: /^Fork at/ })).toHaveCount(0);
  await other.context().close();
});

test("shows a slowed device and dropped caches on the timeline and refuses invalid interventions", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set, teaching size/);
  const step = await stepOn(page);
  await page.keyboard.press("d");
  await dialog(page).getByRole("button", { name: "Drop caches" }).click();
  await expect(dialog(page)).toBeHidden();
  await isAt(page, step);
  await page.keyboard.press("d");
  const percent = dialog(page).getByRole("spinbutton", { name: "Percent of its speed" });
  await percent.fill("200");
  await dialog(page).getByRole("button", { name: "Slow it" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText(
    "200 is not a percentage from 1 to 100",
  );
  await percent.fill("25");
  await dialog(page).getByRole("button", { name: "Slow it" }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(timeline(page).locator(".disturbance")).toHaveCount(2);
  await expect(page.locator(".notice")).toContainText("sda at 25 % of its speed");
});
