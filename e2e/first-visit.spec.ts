import { expect, test } from "@playwright/test";
import { atStart, canZoom, clockOf, isAt, settled } from "./journey";
import { cursorOf, openFirst } from "./links";

test("a first-time visitor steps forward, reads the reason, and steps back to the same view", async ({
  page,
}) => {
  await openFirst(page);
  const stage = page.getByRole("main", { name: "The machine" });
  const why = page.getByRole("region", { name: "Why" });
  const before = await cursorOf(page);
  const sentence = await why.textContent();
  const map = page.getByRole("grid", { name: /Page map of node 0/ });
  await canZoom(page);
  const screenshot = async () => (await map.screenshot()).toString("base64");
  const picture = await settled(screenshot);

  await page.getByRole("button", { name: "Into" }).click();
  await expect(why).not.toHaveText(sentence ?? "");
  const after = await cursorOf(page);
  expect(after.step).toBeGreaterThan(before.step);
  expect(after.hash).not.toBe(before.hash);

  await page.getByRole("button", { name: "Step back" }).click();
  await expect(why).toHaveText(sentence ?? "");
  await isAt(page, before.step);
  expect(await cursorOf(page)).toEqual(before);
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await screenshot()) === picture).toBe(true);
  await expect(
    stage.getByRole("img", { name: /^Zone Normal on node 0: \d+ of 512 pages free/ }),
  ).toBeVisible();
});

test("Over and Out skip the calls that Into enters, and a step back undoes a call", async ({
  page,
}) => {
  await openFirst(page);
  const stack = page.getByRole("region", { name: "Call stack" });
  const depth = () => stack.getByRole("listitem").count();
  const start = await depth();
  await page.getByRole("button", { name: "Out" }).click();
  await expect.poll(depth).toBeLessThan(start);
  const inner = await cursorOf(page);
  const innerStep = `#${inner.step.toLocaleString("en-GB")} `;
  await page.getByRole("button", { name: "Over" }).click();
  await expect(clockOf(page)).not.toContainText(innerStep);
  expect(await depth()).toBeLessThan(start);
  const here = await cursorOf(page);
  expect(here.step).toBeGreaterThan(inner.step);
  await page.getByRole("button", { name: "Back to the call" }).click();
  await expect.poll(async () => (await cursorOf(page)).step).toBeLessThan(here.step);
});

test("choosing a kernel in the menu starts a new run of the same experiment", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: /^Kernel: / }).click();
  await page.getByRole("menuitemradio", { name: /6\.1/ }).first().click();
  await expect(page.getByRole("button", { name: "Kernel: 6.1" })).toBeVisible();
  await atStart(page);
  await page.getByRole("button", { name: "Into" }).click();
  await isAt(page, 1);
});

test("shows the page about the accuracy of the engine", async ({ page }) => {
  await openFirst(page);
  await page.getByText("How true is this?").click();
  await expect(page.getByRole("heading", { name: /^Mirrored/ })).toBeVisible();
});
