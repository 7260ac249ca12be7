import { expect, type Locator, type Page, test } from "@playwright/test";
import { canZoom, choose, goToMoment, goToStep, settled } from "./journey";
import { cursorOf, documentOf, openFirst } from "./links";

const map = (page: Page, node: number) => page.locator(".map").nth(node);
const grid = (page: Page, node: number) => map(page, node).getByRole("grid");
const cell = (page: Page, node: number) => grid(page, node).getByRole("gridcell");
const cellText = (page: Page, node: number) => cell(page, node).textContent();
const crumbs = (page: Page, node: number) =>
  page.getByRole("navigation", { name: `Location in the page map of node ${node}` });

/** A point of a map's box, by shares of its size. */
async function pointOf(box: Locator, x: number, y: number) {
  const { x: left = 0, y: top = 0, width = 0, height = 0 } = (await box.boundingBox()) ?? {};
  return { x: left + x * width, y: top + y * height };
}

/** Turns of a moving wheel do not zoom to the next level. Like a person, the test lets the wheel rest. */
const WHEEL_RESTS_MS = 400;

/** Two nodes of real size with used memory: a cell is two pageblocks. */
async function openBig(page: Page): Promise<void> {
  await openFirst(page);
  await choose(page, /^First touch on two nodes(?!,)/);
  await goToStep(page, 3_000_000);
  await canZoom(page);
}

/** The pages by state in a cell's text. */
const countsOf = (words: string | null): Record<string, number> =>
  Object.fromEntries(
    [
      ...(words ?? "")
        .split(": ")
        .slice(1)
        .join(": ")
        .matchAll(/([\d,]+) ([a-z, ]*?[a-z])(?=, \d|;|$)/g),
    ].map(([, pages = "", state = ""]) => [state, Number(pages.replaceAll(",", ""))]),
  );

test("the wheel zooms in at the pointer level by level and out again", async ({ page }) => {
  test.slow();
  await openBig(page);
  const box = map(page, 0).locator(".map-box");
  const before = await settled(() => box.boundingBox());
  const at = await pointOf(box, 0.3, 0.4);
  await page.mouse.move(at.x, at.y);
  await expect(cell(page, 0)).toContainText(/^0x/);
  const [from = 0, to = 0] = [...((await cellText(page, 0)) ?? "").matchAll(/0x[0-9a-f]+/g)].map(
    Number,
  );
  expect(to - from).toBe(1023);
  await page.mouse.wheel(0, -120);
  await expect(grid(page, 0)).toHaveAccessibleName(/^Pageblocks of node 0/);
  // The cell under the pointer is a part of the previous cell under it.
  await page.mouse.move(at.x + 1, at.y);
  await expect(cell(page, 0)).toContainText(/^block [\d,]+/);
  const blockText = (await cellText(page, 0)) ?? "";
  const block = Number(/^block ([\d,]+)/.exec(blockText)?.[1]?.replaceAll(",", ""));
  expect([from / 512, (to - 511) / 512]).toContain(block);
  await page.waitForTimeout(WHEEL_RESTS_MS);
  await page.mouse.wheel(0, -120);
  await expect(grid(page, 0)).toHaveAccessibleName(
    new RegExp(`^Pages of block ${block.toLocaleString("en-GB")}:`),
  );
  await page.waitForTimeout(WHEEL_RESTS_MS);
  await page.mouse.wheel(0, -120);
  await expect(page.getByRole("region", { name: /^Page 0x/ })).toBeVisible();
  expect(await box.boundingBox()).toEqual(before);
  for (const name of [/^Pages of block/, /^Pageblocks/, /^Page map/]) {
    await page.waitForTimeout(WHEEL_RESTS_MS);
    await page.mouse.wheel(0, 120);
    await expect(grid(page, 0)).toHaveAccessibleName(name);
    expect(await box.boundingBox()).toEqual(before);
  }
});

test("the tiles of a pageblock, counted one by one by keyboard, match the text of its cell", async ({
  page,
}) => {
  test.slow();
  await openBig(page);
  const box = map(page, 0).locator(".map-box");
  // The end of the kernel's own memory: a block of several states.
  let text = "";
  for (let i = 0; i < 40 && text === ""; i += 1) {
    if (i === 0) {
      const { x, y } = await pointOf(box, 0.19, 0.186);
      await page.mouse.dblclick(x, y);
      await expect(grid(page, 0)).toHaveAccessibleName(/^Pageblocks/);
      // A clicked map leaves the arrow keys to the steps; a map entered by keyboard uses them.
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Tab");
      await expect(grid(page, 0)).toBeFocused();
    }
    const last = (await cellText(page, 0)) ?? "";
    await page.keyboard.press("ArrowRight");
    await expect(cell(page, 0)).not.toHaveText(last);
    const words = (await cellText(page, 0)) ?? "";
    if (Object.keys(countsOf(words)).length > 1) text = words;
  }
  const held = countsOf(text);
  expect(Object.values(held).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(512);
  await page.keyboard.press("Enter");
  await expect(grid(page, 0)).toHaveAccessibleName(/^Pages of block/);
  await expect(grid(page, 0)).toBeFocused();
  expect(countsOf((await grid(page, 0).getAttribute("aria-label"))?.split(";")[0] ?? "")).toEqual(
    held,
  );
  await page.keyboard.press("Home");
  const [, first = ""] = /\b(0x[0-9a-f]+)/.exec(text) ?? [];
  await expect(cell(page, 0)).toContainText(first);
  // Runs inside the page: 512 round trips would take most of the journey's time.
  const tiles = await grid(page, 0).evaluate(async (element) => {
    const words: string[] = [];
    for (let i = 0; i < 512; i += 1) {
      words.push(element.querySelector("[role=gridcell]")?.textContent ?? "");
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      await new Promise((done) => setTimeout(done, 0));
    }
    return words;
  });
  const counted: Record<string, number> = {};
  for (const words of tiles) {
    const state = /: ([a-z, ]*?[a-z])(?:, in the block|;|$)/.exec(words)?.[1] ?? "";
    counted[state] = (counted[state] ?? 0) + 1;
  }
  expect(counted).toEqual(held);
});

test("arrow keys and Enter zoom to a page, its neighbours and out again and keep the focus", async ({
  page,
}) => {
  test.slow();
  await openBig(page);
  await grid(page, 1).focus();
  for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await expect(grid(page, 1)).toHaveAccessibleName(/^Pageblocks of node 1/);
  await expect(grid(page, 1)).toBeFocused();
  await page.keyboard.press("+");
  await expect(grid(page, 1)).toHaveAccessibleName(/^Pages of block/);
  const begun = (await cellText(page, 1)) ?? "";
  await page.keyboard.press("End");
  await expect(cell(page, 1)).not.toHaveText(begun);
  const last = /^0x\w+/.exec((await cellText(page, 1)) ?? "")?.[0] ?? "";
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: new RegExp(`^Page ${last}:`) });
  await expect(card).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  const before = `0x${(Number(last) - 1).toString(16)}`;
  await expect(page.getByRole("region", { name: new RegExp(`^Page ${before}:`) })).toBeVisible();
  await expect(crumbs(page, 1)).toContainText(`${before}`);
  await page.keyboard.press("Escape");
  await expect(grid(page, 1)).toBeFocused();
  expect(await cellText(page, 1)).toContain(before);
  await page.keyboard.press("-");
  await expect(grid(page, 1)).toHaveAccessibleName(/^Pageblocks/);
  await page.keyboard.press("0");
  await expect(grid(page, 1)).toHaveAccessibleName(/^Page map of node 1/);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("page map: zoom in");
});

test("a page of a small machine can be read, watched and traced to its last change", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set, teaching size/);
  const step = await goToMoment(page, "readersKswapdFrees");
  await canZoom(page);
  const at = await pointOf(map(page, 1).locator(".map-box"), 0.4, 0.3);
  await page.mouse.click(at.x, at.y);
  await expect(map(page, 1).locator(".ring.select")).toHaveCount(1);
  await expect(cell(page, 1)).toContainText(/^0x/);
  const pfn = /^0x\w+/.exec((await cellText(page, 1)) ?? "")?.[0] ?? "";
  await page.mouse.dblclick(at.x, at.y);
  const card = page.getByRole("region", { name: new RegExp(`^Page ${pfn}: `) });
  await expect(card).toContainText(/now.*of.*list.*from the tail of.*next/);
  await expect(crumbs(page, 1).getByRole("button")).toHaveText(["node 1"]);
  await card.getByRole("button", { name: "Last change" }).click();
  const clock = page.getByTitle("Go to a step or time");
  await expect(clock).not.toContainText(`#${step.toLocaleString("en-GB")} `);
  await card.getByRole("button", { name: "Stop when it changes" }).click();
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("tabpanel")).toContainText(`page ${pfn}: anything changes`);
  await crumbs(page, 1).getByRole("button", { name: "node 1" }).click();
  await expect(grid(page, 1)).toHaveAccessibleName(/^Page map of node 1/);
  await expect(map(page, 1).locator(".ring.select")).toHaveCount(1);
});

test("a link opens the same level around the same page", async ({ page, browser }) => {
  test.slow();
  await openBig(page);
  const box = map(page, 0).locator(".map-box");
  for (const name of [/^Pageblocks/, /^Pages of block/]) {
    const { x, y } = await pointOf(box, 0.2, 0.3);
    await page.mouse.dblclick(x, y);
    await expect(grid(page, 0)).toHaveAccessibleName(name);
  }
  await grid(page, 1).focus();
  for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
  await expect(grid(page, 1)).toHaveAccessibleName(/^Pageblocks/);
  const shown = [
    await crumbs(page, 0).textContent(),
    await grid(page, 0).getAttribute("aria-label"),
  ];
  await cursorOf(page);
  const zoom = () => (documentOf(page.url()).view as { zoom: Record<string, unknown> }).zoom;
  await expect.poll(() => Object.keys(zoom())).toEqual(["0", "1"]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(crumbs(other, 0)).toHaveText(shown[0] ?? "", { timeout: 30_000 });
  await expect(grid(other, 0)).toHaveAccessibleName(shown[1] ?? "");
  await expect(grid(other, 1)).toHaveAccessibleName(/^Pageblocks of node 1/);
  await context.close();
});

test("dragging moves the map without pressing anything, and an arrow points to a selection out of view", async ({
  page,
}) => {
  test.slow();
  await openBig(page);
  const box = map(page, 0).locator(".map-box");
  const at = await pointOf(box, 0.5, 0.5);
  for (const name of [/^Pageblocks/, /^Pages of block/]) {
    await page.mouse.dblclick(at.x, at.y);
    await expect(grid(page, 0)).toHaveAccessibleName(name);
  }
  await page.mouse.click(at.x, at.y);
  await expect(map(page, 0).locator(".ring.select")).toHaveCount(1);
  await page.keyboard.press("-");
  await expect(grid(page, 0)).toHaveAccessibleName(/^Pageblocks/);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let i = 1; i <= 10; i += 1) await page.mouse.move(at.x - i * 20, at.y);
  await page.mouse.up();
  await expect(grid(page, 0)).toHaveAccessibleName(/^Pageblocks/);
  await page.mouse.move(5, 5);
  await expect(map(page, 0).locator(".edges .edge.select")).toHaveCount(0);
  for (let pull = 0; pull < 3; pull += 1) {
    await page.mouse.move(at.x + 150, at.y);
    await page.mouse.down();
    for (let i = 1; i <= 10; i += 1) await page.mouse.move(at.x + 150 - i * 30, at.y);
    await page.mouse.up();
  }
  await expect(map(page, 0).locator(".edges .edge.select")).toHaveCount(1);
});
