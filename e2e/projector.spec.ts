import { expect, type Page, test } from "@playwright/test";
import { openFirst } from "./links";
import { sideways, smallTexts } from "./looks";

const zoomOf = (page: Page) =>
  page
    .getByRole("main", { name: "The machine" })
    .evaluate(
      (box) => (box.firstElementChild as Element & { currentCSSZoom: number }).currentCSSZoom,
    );

test("for a projector all is at least 18 px, with why and the code below the machine", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await openFirst(page);
  const side = page.getByRole("complementary", { name: "Debugger" });
  const stage = page.getByRole("main", { name: "The machine" });
  await page.keyboard.press("Shift+P");
  for (const [width, height] of [
    [1920, 1080],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => smallTexts(page, 18)).toEqual([]);
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    const below = async () => {
      const [a, b] = [await stage.boundingBox(), await side.boundingBox()];
      return (b?.y ?? 0) - ((a?.y ?? 0) + (a?.height ?? 0));
    };
    await expect.poll(below).toBeGreaterThan(-1);
    await expect(side.getByRole("region", { name: "Why" })).toBeVisible();
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(1.55);
  expect(await zoomOf(page)).toBeLessThan(1.65);
  // Six rows of code, and the one about to run among them.
  const code = side.getByRole("region", { name: /^Lines of/ });
  const rows = () =>
    code.evaluate((box) => {
      const line = box.querySelector("li:last-child");
      const one = Number.parseFloat(getComputedStyle(line ?? box).lineHeight);
      return box.clientHeight / one;
    });
  await expect.poll(rows).toBeGreaterThanOrEqual(6);
  await expect(code.locator("[aria-current=step]")).toBeInViewport();
});

test("projector mode is remembered by the browser, not by the link, and left by the same key", async ({
  page,
}) => {
  await openFirst(page);
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "Projector mode" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => smallTexts(page, 18)).toEqual([]);
  expect(new URL(page.url()).hash).not.toContain("projector");
  await page.reload();
  await expect(page.getByRole("region", { name: "Why" }).locator("p").first()).toBeVisible();
  await expect.poll(() => smallTexts(page, 18)).toEqual([]);
  await page.keyboard.press("Shift+P");
  await expect.poll(() => smallTexts(page, 18)).not.toEqual([]);
  await expect(page.getByRole("tab", { name: "Values" })).toBeVisible();
});
