import { expect, test } from "@playwright/test";
import { canZoom } from "./journey";
import { openFirst, pack } from "./links";
import { sideways, smallTexts } from "./measurements";

/** Widths of real windows: the designed one, two notebooks, a tablet, a phone. */
const SIZES = [
  [1440, 900],
  [1280, 800],
  [1024, 768],
  [768, 1024],
  [390, 844],
] as const;

test("no text is smaller than 12 px and nothing scrolls sideways at any width", async ({
  page,
}) => {
  await openFirst(page);
  await canZoom(page);
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
    if (width > 600) continue;
    for (const name of ["Code", "Tasks", "Lists"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await expect.poll(() => smallTexts(page), name).toEqual([]);
      await expect.poll(() => sideways(page), name).toBeLessThanOrEqual(0);
    }
  }
});

test("a real-size machine fits every width", async ({ page }) => {
  const link = pack(JSON.stringify({ v: 1, preset: "first-touch" }));
  await page.goto(`./#/workbench?x=${link}`);
  await canZoom(page);
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect(page.getByRole("grid", { name: /Page map of node 1/ })).toBeVisible();
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => smallTexts(page)).toEqual([]);
  }
});

test("a swapping machine fits every width on every tab", async ({ page }) => {
  const link = pack(JSON.stringify({ v: 1, preset: "anon-hog.teach" }));
  await page.goto(`./#/workbench?x=${link}`);
  await expect(page.getByRole("region", { name: /^LRU lists of node 1/ })).toBeVisible({
    timeout: 20_000,
  });
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => smallTexts(page)).toEqual([]);
    if (width > 600) continue;
    for (const name of ["Tasks", "Lists"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await expect.poll(() => smallTexts(page)).toEqual([]);
      await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    }
  }
});

/** The longest names of a machine, of a workload and of both together. */
const LONGEST = [
  "tiobench.teach",
  "first-touch.ppc64.teach",
  "first-touch.threads.teach",
  "fsmark.teach",
  "streaming-reader.teach",
] as const;

test("the top bar shows the complete name of an experiment", async ({ page }) => {
  const bar = page.getByRole("banner");
  const names = bar.getByRole("button", { name: /^(Scenario|Kernel|Machine|Workload): / });
  const cut = () =>
    names.evaluateAll((buttons) =>
      buttons
        .filter((button) => {
          const words = button.querySelector("b") ?? button;
          return words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight;
        })
        .map((button) => button.textContent),
    );
  for (const preset of LONGEST) {
    await page.goto(`./#/workbench?x=${pack(JSON.stringify({ v: 1, preset }))}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(bar.getByRole("button", { name: /^Scenario: .*/ })).toBeVisible();
    for (const [width, height] of [...SIZES, [1920, 1080]] as const) {
      await page.setViewportSize({ width, height });
      // A phone has these parts in its menu.
      await expect(names).toHaveCount(width > 600 ? 4 : 1);
      await expect.poll(cut, `${preset} at ${width} px`).toEqual([]);
    }
  }
});

for (const address of [
  "./",
  "./#/lesson/watermarks-and-kswapd",
  "./#/lesson/the-stall-that-was-not-the-disk",
]) {
  test(`${address} fits every width`, async ({ page }) => {
    await page.goto(address);
    await expect(page.getByRole("img", { name: /^Zone Normal on node 0/ })).toBeVisible({
      timeout: 20_000,
    });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => sideways(page), { timeout: 20_000 }).toBeLessThanOrEqual(0);
      await expect.poll(() => smallTexts(page)).toEqual([]);
    }
  });
}

test("the top bar of a lesson has the same height with and without a previous visit to the workbench", async ({
  page,
}) => {
  const lesson = "./#/lesson/watermarks-and-kswapd";
  const bar = page.getByRole("banner");
  await page.goto(lesson);
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  const alone = (await bar.boundingBox())?.height;
  await page.goto("./#/workbench");
  await expect(page.getByRole("button", { name: /^Play/ }).first()).toBeVisible();
  await page.goto(lesson);
  await expect(page.getByRole("heading", { name: "Watermarks and kswapd" }).first()).toBeVisible();
  await expect.poll(async () => (await bar.boundingBox())?.height).toBe(alone);
});

test("the transport is one line on a tablet in every state of a run", async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await openFirst(page);
  const transport = page.getByRole("navigation", { name: "Transport" });
  const lines = () =>
    transport.evaluate((bar) => {
      const middle = (part: Element) => {
        const { top, bottom } = part.getBoundingClientRect();
        return (top + bottom) / 2;
      };
      const shown = [...bar.querySelectorAll("button, input")].filter((part) =>
        part.checkVisibility(),
      );
      const all = shown.map(middle);
      return Math.max(...all) - Math.min(...all);
    });
  await expect.poll(lines).toBeLessThan(4);
  await expect(page.getByRole("slider", { name: "Speed" })).toBeVisible();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  expect(await lines()).toBeLessThan(4);
});

test("all parts of the row of devices are visible on notebooks and desktops", async ({ page }) => {
  await openFirst(page);
  const io = page.getByRole("region", { name: "Reclaim and devices" });
  await expect(io.getByText("Cost per page allocated")).toBeVisible();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(io.getByText("Fell back: node 0 to 1")).toBeVisible();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const stage = page.getByRole("main", { name: "The machine" });
  const hidden = () => stage.evaluate((box) => box.scrollHeight - box.clientHeight);
  for (const [width, height] of [
    [1440, 900],
    [1536, 864],
    [1366, 768],
    [1280, 800],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(hidden, `at ${width} by ${height}`).toBeLessThanOrEqual(0);
  }
});

for (const [width, height] of [
  [1920, 1080],
  [2560, 1440],
] as const) {
  test(`at ${width} by ${height}, the machine is enlarged and fills its stage`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await openFirst(page);
    const stage = page.getByRole("main", { name: "The machine" });
    const filled = () =>
      stage.evaluate((box) => {
        const machine = box.firstElementChild?.getBoundingClientRect();
        const { height: room, width: across } = box.getBoundingClientRect();
        return Math.max((machine?.height ?? 0) / room, (machine?.width ?? 0) / across);
      });
    await expect.poll(filled).toBeGreaterThan(0.95);
    await expect
      .poll(() => stage.evaluate((box) => box.scrollHeight - box.clientHeight))
      .toBeLessThan(2);
    const zoom = () =>
      stage.evaluate((box) => Number(getComputedStyle(box.firstElementChild ?? box).zoom));
    await expect.poll(zoom).toBeGreaterThan(1);
    expect(await zoom()).toBeLessThanOrEqual(1.6);
  });
}
