import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { combAddress, stepOfHint, stepOfMove, stepOfSkip } from "./comb.mjs";
import { atStart, clockOf, goToStep } from "./journey";
import { sideways, smallTexts } from "./measurements";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const face = (page: Page) => page.getByRole("button", { name: "Pageblocks", exact: true });
const blocks = (page: Page) => page.getByRole("region", { name: "Pageblocks of Normal on node 0" });
/** The elements below the place of the pageblocks. */
const tasksTop = async (page: Page) =>
  (await page.getByRole("region", { name: "Tasks" }).boundingBox())?.y ?? Number.NaN;

async function open(page: Page, kernel: string, step = 0): Promise<void> {
  await page.goto(`./${combAddress(kernel)}`);
  await atStart(page);
  if (step > 0) await goToStep(page, step);
}

test("shows pageblocks, both scanners and a moving page instead of the LRU lists without a layout shift", async ({
  page,
}) => {
  await open(page, "fastscan");
  const before = await tasksTop(page);
  await expect(blocks(page)).toHaveCount(0);
  await face(page).focus();
  await page.keyboard.press("Enter");
  await expect(face(page)).toHaveAttribute("aria-pressed", "true");
  await expect(blocks(page)).toContainText("64 blocks of 256\u202fKiB: 64 free");
  await expect(blocks(page)).toContainText("No compaction running.");
  expect(await tasksTop(page)).toBe(before);

  await goToStep(page, stepOfMove("fastscan"));
  await expect(blocks(page).locator(".scanner .at")).toHaveCount(2);
  await expect(blocks(page).locator(".move-path")).toHaveCount(1);
  await expect(blocks(page)).toContainText(/moving 0x[0-9a-f]+ to 0x[0-9a-f]+\./);
  await expect(blocks(page)).toContainText("for its own request");
  expect(await tasksTop(page)).toBe(before);

  // Every block can be read by keys.
  await blocks(page).getByRole("grid").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(blocks(page).getByRole("gridcell")).toContainText(/^block 1, 0x40 to 0x7f, /);

  await page.getByRole("button", { name: "LRU lists", exact: true }).click();
  await expect(blocks(page)).toHaveCount(0);
  await expect(page.getByRole("region", { name: /^LRU lists of / })).toBeVisible();
  expect(await tasksTop(page)).toBe(before);
});

test("marks a skipped block with the reason and shows the hint of a run", async ({ page }) => {
  await open(page, "fastscan", stepOfSkip("fastscan"));
  await face(page).click();
  await expect(blocks(page)).toContainText("movable blocks only");
  await expect(blocks(page)).toContainText(
    /The scanner skips block \d+, which is [a-z]+, and continues at block \d+\./,
  );
  expect(await blocks(page).locator(".passed").count()).toBeGreaterThan(0);

  await open(page, "compacthint", stepOfHint("compacthint"));
  await face(page).click();
  await expect(blocks(page)).toContainText(/from hint block \d+\./);
  await expect(blocks(page).locator(".hint")).toHaveCount(1);
});

test("says that compaction is absent where another kernel shows its scanners", async ({ page }) => {
  await open(page, "lumpyreclaim-traceonly");
  await face(page).click();
  await expect(blocks(page)).toContainText("No compaction: this kernel was built without it.");
  await page.keyboard.press("End");
  await expect(clockOf(page)).not.toContainText("#0 ");
  await expect(blocks(page)).toContainText("allocated whole");
  await expect(blocks(page).locator(".scanner")).toHaveCount(0);
});

test("Explain shows how each huge page was obtained and how long each method took", async ({
  page,
}) => {
  await open(page, "fastscan");
  await page.keyboard.press("End");
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  await explain.getByRole("button", { name: "Huge page", exact: true }).click();
  await expect(explain.locator(".about")).toContainText(/requested order 6/);
  await expect(explain.locator(".about")).toContainText(
    /A free block was available|freed a block|It failed/,
  );
  const ways = explain.getByRole("table");
  await expect(ways.getByRole("row")).toHaveCount(5);
  const came = ways.getByRole("row", { name: /^direct compaction/ });
  await expect(came.getByRole("cell").first()).toHaveText("6");
  // The times that the program measured are below the blocks.
  await face(page).click();
  await expect(blocks(page).getByRole("img", { name: /^huge page: \d+ timed/ })).toBeVisible();
});

test("free lists over time shift no layout, can be read by keyboard, and lead to the step of a sample", async ({
  page,
}) => {
  await open(page, "fastscan");
  await page.keyboard.press("End");
  const before = await tasksTop(page);
  const overTime = page.getByRole("button", { name: "over time" });
  const top = (await overTime.boundingBox())?.y;
  await overTime.focus();
  await page.keyboard.press("Enter");
  const strip = page.getByRole("grid", { name: /^Free blocks of Normal on node 0 over time/ });
  await expect(page.locator(".free-history")).toContainText(
    /of free memory is in blocks of 256\u202fKiB or larger; lowest \d/,
  );
  await expect(page.locator(".free-history .wanted")).toHaveText("▸ 6 wanted");
  expect(await tasksTop(page)).toBe(before);
  expect((await overTime.boundingBox())?.y).toBe(top);
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)])).toEqual([]);

  const now = strip.locator(".now");
  const atEnd = await now.getAttribute("d");
  await strip.focus();
  await page.keyboard.press("Home");
  for (let order = 10; order > 6; order -= 1) await page.keyboard.press("ArrowDown");
  const cell = strip.getByRole("gridcell");
  await expect(cell).toContainText(/^order 6 \(256\u202fKiB\) at 0\.0/);
  await page.keyboard.press("Enter");
  await expect(now).not.toHaveAttribute("d", atEnd ?? "");
  for (const width of [1440, 1280, 820]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
});

test("the pageblocks have no small text and no sideways scrolling at any width", async ({
  page,
}) => {
  await open(page, "compacthint", stepOfHint("compacthint"));
  await face(page).click();
  for (const width of [1920, 1440, 1280, 1024, 820]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(blocks(page).locator(".scanner .at")).toHaveCount(2);
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
});

test("axe finds no violation during compaction in either theme", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "compacthint", stepOfHint("compacthint"));
  await face(page).click();
  await expect(blocks(page).locator(".scanner .at")).toHaveCount(2);
  await axeFindsNothing(page);
});
