import { expect, type Page, test } from "@playwright/test";
import { canZoom } from "./journey";
import { leave } from "./keep";
import { openFirst } from "./links";

/** Texts that are cut off, or that lie on another text. */
const brokenTexts = (page: Page, within = "body") =>
  page.evaluate((selector) => {
    const rects: { words: string; element: Element; box: DOMRect }[] = [];
    const found: string[] = [];
    const root = document.querySelector(selector);
    if (!root) return [`no ${selector}`];
    /** The part of a text that its boxes show. */
    const seen = (box: DOMRect, element: Element): DOMRect => {
      let { left, right, top, bottom } = box;
      for (let at: Element | null = element; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === "visible") continue;
        const room = at.getBoundingClientRect();
        left = Math.max(left, room.left);
        right = Math.min(right, room.right);
        top = Math.max(top, room.top);
        bottom = Math.min(bottom, room.bottom);
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    };
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const words = texts.currentNode.textContent?.trim();
      if (!element || !words || !element.checkVisibility() || element.closest(".sr")) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      for (const whole of range.getClientRects()) {
        const box = seen(whole, element);
        if (box.width > 1 && box.height > 1) rects.push({ words, element, box });
      }
      // What a box cuts on purpose ends in an ellipsis and is told in full by its title.
      for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(at);
        const isCut = overflowX === "hidden" && at.scrollWidth > at.clientWidth + 1;
        if (isCut && textOverflow !== "ellipsis") found.push(`cut: ${words}`);
        if (overflowX !== "visible") break;
      }
    }
    for (const { words, box } of rects) {
      if (box.right > innerWidth + 1 || box.left < -1) found.push(`outside: ${words}`);
    }
    // The fixed and sticky bars lie over what scrolls beneath them.
    const isFixed = (element: Element) => element.closest(".top, .trans, .phonebar, .tabs-m, .hd");
    for (const [i, a] of rects.entries()) {
      if (isFixed(a.element)) continue;
      for (const b of rects.slice(i + 1)) {
        if (a.element === b.element || isFixed(b.element)) continue;
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        const height = Math.min(a.box.height, b.box.height);
        if (across > 2 && down > height * 0.45) found.push(`overlap: ${a.words} / ${b.words}`);
      }
    }
    return found;
  }, within);

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

const textHeight = (page: Page) =>
  page.getByRole("heading", { name: "Why" }).evaluate((it) => it.getBoundingClientRect().height);

test("text of twice the size reflows: nothing is cut, nothing overlaps", async ({ page }) => {
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
    // What is in it may come a moment later.
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
  // The menu opens under its chip, also when the page is enlarged; where, is found when it is open.
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
  test(`browser zoom of 200 % on ${name} reflows as well`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openFirst(page);
    await canZoom(page);
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => brokenTexts(page)).toEqual([]);
    // Nothing that can be done at 100 % is out of reach.
    if (width > 600) {
      for (const control of ["Into", "Over", "Out", "To end", "Your machine", "/proc"]) {
        await expect(page.getByRole("button", { name: control, exact: true })).toBeVisible();
      }
    }
  });
}

test("as designed, no text is cut or lies on another", async ({ page }) => {
  await openFirst(page);
  await canZoom(page);
  await expect.poll(() => brokenTexts(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => brokenTexts(page)).toEqual([]);
});

test("text of twice the size leaves the import dialog whole, empty, faulty and read", async ({
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
  await page.getByText("What the dump does not say").click();
  await isWhole();
  const contents = page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" });
  await contents.fill("Node 0, zone DMA\n  pages free many\n");
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByText(/not a zoneinfo mmscope can read/)).toBeVisible();
  await isWhole();
  await contents.fill(zoneinfo);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeVisible();
  await isWhole();
});
