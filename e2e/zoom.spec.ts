import { expect, type Page, test } from "@playwright/test";
import { brokenTexts } from "./broken-texts";
import { canZoom } from "./journey";
import { leave } from "./keep";
import { openFirst } from "./links";

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

const textHeight = (page: Page) =>
  page.getByRole("heading", { name: "Why" }).evaluate((it) => it.getBoundingClientRect().height);

test("text of twice the size reflows without cuts or overlaps", async ({ page }) => {
  await openFirst(page);
  const before = await textHeight(page);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
  await expect.poll(() => textHeight(page)).toBeCloseTo(before * 2, 0);
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => brokenTexts(page)).toEqual([]);

  for (const key of ["?", "s", "g", "p"]) {
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog");
    await expect(dialog, `key ${key}`).toBeVisible();
    // The content may arrive a moment later.
    await expect(async () => {
      const box = await dialog.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 1440 && box.y >= 0).toBe(true);
      expect(box && box.y + box.height).toBeLessThanOrEqual(900);
      expect(await brokenTexts(page, "dialog")).toEqual([]);
    }).toPass({ timeout: 15_000 });
    await leave(page);
  }
  const kernel = page.getByRole("button", { name: /^Kernel: / });
  await kernel.click();
  const item = page.getByRole("menuitemradio").first();
  // The menu opens below its chip, also on an enlarged page; its place is read when it is open.
  await expect
    .poll(async () => {
      const [chip, first] = [await kernel.boundingBox(), await item.boundingBox()];
      return Math.abs((first?.x ?? 0) - (chip?.x ?? 999));
    })
    .toBeLessThan(40);
  await page.keyboard.press("Escape");
  await expect(item).toBeHidden();
  await page.getByRole("button", { name: "Into" }).click();
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible();
});

for (const [name, width, height] of [
  ["a desktop", 720, 450],
  ["a notebook", 640, 400],
  ["a phone in the hand", 320, 568],
] as const) {
  test(`a browser zoom of 200 % on ${name} also reflows`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openFirst(page);
    await canZoom(page);
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => brokenTexts(page)).toEqual([]);
    // Everything that works at 100 % is reachable.
    if (width > 600) {
      for (const control of ["Into", "Over", "Out", "To end", "Your machine", "Menu"]) {
        await expect(page.getByRole("button", { name: control, exact: true })).toBeVisible();
      }
    }
  });
}

test("no text is cut off or overlaps another at the designed size", async ({ page }) => {
  await openFirst(page);
  await canZoom(page);
  await expect.poll(() => brokenTexts(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => brokenTexts(page)).toEqual([]);
});

test("the import dialog cuts off no text of twice the size when empty, with an error, and after reading", async ({
  page,
}) => {
  await openFirst(page);
  await page.getByRole("button", { name: "/proc" }).click();
  const shown = page.getByRole("region", { name: "/proc/zoneinfo" });
  await expect(shown).toContainText(/Node 1, zone +Normal/);
  const zoneinfo = (await shown.textContent()) ?? "";
  await leave(page);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
  await page.getByRole("button", { name: "Your machine" }).click();
  const dialog = page.getByRole("dialog", { name: "Your machine" });
  const isWhole = () =>
    expect(async () => {
      const box = await dialog.boundingBox();
      expect(box && box.x >= 0 && box.y >= 0).toBe(true);
      expect(box && box.x + box.width).toBeLessThanOrEqual(1440);
      expect(box && box.y + box.height).toBeLessThanOrEqual(900);
      expect(await dialog.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0);
      expect(await brokenTexts(page, "dialog")).toEqual([]);
    }).toPass({ timeout: 15_000 });
  await isWhole();
  await page.getByText("Settings the dump does not contain").click();
  await isWhole();
  const contents = page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" });
  await contents.fill("Node 0, zone DMA\n  pages free many\n");
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByText(/mmscope cannot read this as/)).toBeVisible();
  await isWhole();
  await contents.fill(zoneinfo);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeVisible();
  await isWhole();
});
