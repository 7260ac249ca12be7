import { expect, type Page, test } from "@playwright/test";
import { settled } from "./journey";
import { openFirst } from "./links";
import { sideways, smallTexts } from "./measurements";

const zoomOf = (page: Page) =>
  page
    .getByRole("main", { name: "The machine" })
    .evaluate(
      (box) => (box.firstElementChild as Element & { currentCSSZoom: number }).currentCSSZoom,
    );

/** The machine's share of the window's height, 0 to 1. */
const share = (page: Page) =>
  page.locator(".stage").evaluate((box) => box.getBoundingClientRect().height / innerHeight);

/** How far the lowest edge of some parts of the machine is below that of the stage. */
const outOfSight = (page: Page, parts: string) =>
  page.locator(".stage").evaluate((box, parts) => {
    const edges = [...box.querySelectorAll(parts)].map(
      (part) => part.getBoundingClientRect().bottom,
    );
    return Math.max(...edges) - box.getBoundingClientRect().bottom;
  }, parts);

test("projector mode gives the window to the machine, with Why as its caption and code on request", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await openFirst(page);
  const stage = page.getByRole("main", { name: "The machine" });
  const why = page.getByRole("region", { name: "Why" });
  await page.keyboard.press("Shift+P");
  for (const [width, height, least_px] of [
    [1920, 1080, 18],
    [1440, 900, 18],
    [1280, 720, 15],
  ] as const) {
    await page.setViewportSize({ width, height });
    const at = `at ${width} x ${height}`;
    await expect.poll(() => smallTexts(page, least_px), at).toEqual([]);
    await expect.poll(() => sideways(page), at).toBeLessThanOrEqual(0);
    await expect.poll(() => share(page), at).toBeGreaterThan(0.6);
    await expect.poll(() => outOfSight(page, ".map"), at).toBeLessThanOrEqual(1);
    const [machine, caption] = [await stage.boundingBox(), await why.boundingBox()];
    expect(caption?.y, at).toBeGreaterThanOrEqual((machine?.y ?? 0) + (machine?.height ?? 0) - 1);
  }
  await expect(page.getByRole("region", { name: "Pseudo-code" })).toHaveCount(0);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(() => zoomOf(page)).toBeGreaterThanOrEqual(1.5);
  await expect.poll(() => outOfSight(page, ".lru, .lists, .tasks, .io")).toBeLessThanOrEqual(1);
  await page.keyboard.press("c");
  const code = page.getByRole("region", { name: /^Lines of/ });
  await expect(code.locator("[aria-current=step]")).toBeInViewport();
  await page.getByRole("button", { name: /^Code/ }).click();
  await expect(code).toHaveCount(0);
  await page.getByRole("button", { name: "Leave projector mode" }).click();
  await expect(page.getByRole("tab", { name: "Values" })).toBeVisible();
});

test("in a lesson, Shift+P makes the stage fill the window, and the prose keeps its position", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("./#/lesson/watermarks-and-kswapd");
  const live = page.getByRole("complementary", { name: "Live stage" });
  await expect(live.getByRole("region", { name: "Tasks" })).toBeVisible({ timeout: 30_000 });
  await page.mouse.wheel(0, 900);
  const at = await settled(() => page.evaluate(() => scrollY));
  const step = page.locator(".rail [aria-current=step]");
  const read = await step.textContent();
  await page.keyboard.press("Shift+P");
  await expect.poll(async () => (await live.boundingBox())?.x).toBe(0);
  await live.getByRole("button", { name: "Step", exact: true }).click();
  await live.getByRole("button", { name: "Projector mode" }).click();
  await expect.poll(async () => (await live.boundingBox())?.x).toBeGreaterThan(0);
  expect(await page.evaluate(() => scrollY)).toBe(at);
  expect(await step.textContent()).toBe(read);
  await page.keyboard.press("Shift+P");
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(async () => (await live.boundingBox())?.width).toBeCloseTo(width, 0);
    await expect.poll(async () => (await live.boundingBox())?.height).toBeCloseTo(height, 0);
    await expect.poll(() => share(page)).toBeGreaterThan(0.6);
    await expect.poll(() => outOfSight(page, ".map")).toBeLessThanOrEqual(1);
  }
  // The next visit begins with the prose.
  await page.reload();
  await expect(live.getByRole("region", { name: "Tasks" })).toBeVisible({ timeout: 30_000 });
  await expect.poll(async () => (await live.boundingBox())?.x).toBeGreaterThan(0);
});

test("the browser but not the link stores projector mode, and the same key ends it", async ({
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
