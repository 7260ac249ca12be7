import { expect, test } from "@playwright/test";
import { openFirst } from "./links";
import { smallTargets } from "./measurements";

test("shows the reason on a phone, steps forward and back, and reaches every part", async ({
  page,
}) => {
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

test("every target on a phone is large enough to tap, in every part and dialog", async ({
  page,
}) => {
  await openFirst(page);
  for (const name of ["Machine", "Code", "Tasks", "Lists"]) {
    await page.getByRole("button", { name, exact: true }).tap();
    await expect.poll(() => smallTargets(page), { message: name }).toEqual([]);
  }
  await page.getByTitle("Go to a step or time").tap();
  await expect(page.getByRole("dialog", { name: "Go to" })).toBeVisible();
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).tap();
  await page.getByRole("button", { name: "Share" }).tap();
  await expect(page.getByRole("dialog", { name: "Share this moment" })).toBeVisible();
  await expect.poll(() => smallTargets(page)).toEqual([]);
});

test("the menu on a phone leads to import, /proc and help, and changes the experiment", async ({
  page,
}) => {
  await openFirst(page);
  const menu = page.getByRole("dialog", { name: "Menu" });
  const open = async () => {
    await page.getByRole("button", { name: "Menu" }).tap();
    await expect(menu).toBeVisible();
  };
  const isSound = async () => {
    await expect.poll(() => smallTargets(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    const dialog = page.getByRole("dialog");
    expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(
      0,
    );
  };
  await open();
  await isSound();
  await menu.getByRole("button", { name: /^The files of .proc/ }).tap();
  const files = page.getByRole("dialog", { name: "The files of /proc" });
  await expect(files.getByRole("region", { name: "/proc/zoneinfo" })).toContainText("Node 0, zone");
  await isSound();
  const zoneinfo = (await files.getByRole("region").textContent()) ?? "";
  await files.getByRole("button", { name: "Close" }).tap();

  await open();
  await menu.getByRole("button", { name: /^Keys and help/ }).tap();
  await expect(page.getByRole("dialog", { name: "Keys and help" })).toBeVisible();
  await isSound();
  await page.getByRole("button", { name: "Close" }).tap();

  await open();
  await menu.getByRole("button", { name: /^Kernel: / }).tap();
  await page.getByRole("menuitemradio", { name: /6\.1/ }).first().tap();
  await expect(menu).toBeHidden();
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0");
  await open();
  await expect(menu.getByRole("button", { name: "Kernel: 6.1" })).toBeVisible();
  await menu.getByRole("button", { name: "Over" }).tap();
  await menu.getByRole("button", { name: "Close" }).tap();
  await expect(page.getByTitle("Go to a step or time")).not.toContainText("#0 ");

  await open();
  await menu.getByRole("button", { name: /^Your machine/ }).tap();
  await page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" }).fill(zoneinfo);
  await page.getByRole("button", { name: "Read it" }).tap();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeVisible();
  await isSound();
});

test("the menu on a phone returns the focus to its opener even through a dialog", async ({
  page,
}) => {
  await openFirst(page);
  const opener = page.getByRole("button", { name: "Menu" });
  const menu = page.getByRole("dialog", { name: "Menu" });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();

  for (const name of [/^Keys and help/, /^The files of .proc/, /^Your machine/]) {
    await page.keyboard.press("Enter");
    await menu.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
    await expect(menu).toBeHidden();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.locator("dialog")).toHaveCount(0);
    await expect(opener).toBeFocused();
  }
});
