// Space on the stage: the machine has priority, the timeline gets the remaining space, and nothing is cut
// off.

import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { clockOf } from "./journey";
import { eightNodesAddress, openFirst, pack } from "./links";
import { cutTexts, overlaps, sideways } from "./measurements";

test.describe.configure({ timeout: 240_000 });

const catalog: { presets: [string, string][] } = JSON.parse(
  readFileSync(new URL("../web/src/engine/pkg/catalog.json", import.meta.url), "utf8"),
);
const PRESETS = catalog.presets.map(([id, json]) => {
  const { machine }: { machine: unknown } = JSON.parse(json);
  return { id, isPair: String(machine).includes("2node") };
});

const machine = (page: Page) => page.getByRole("main", { name: "The machine" });

/** Opens another experiment in the open page, and waits until it is at its moment. */
async function open(page: Page, preset: string): Promise<void> {
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    `#/workbench?x=${pack(JSON.stringify({ v: 1, preset }))}`,
  );
  const json = catalog.presets.find(([id]) => id === preset)?.[1] ?? "{}";
  const { title }: { title: string } = JSON.parse(json);
  const name = `Scenario: ${title}`;
  await expect(page.getByRole("button", { name, exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Tasks" })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Reclaim and devices" })).toBeVisible();
}

/** How far the stage scrolls. */
const below = (page: Page) =>
  machine(page).evaluate((box) => Math.max(0, box.scrollHeight - box.clientHeight));

/** How far the lowest edge of some parts is below that of the stage; not positive if they are visible. */
const outOfSight = (page: Page, selector: string) =>
  machine(page).evaluate((box, selector) => {
    const { bottom } = box.getBoundingClientRect();
    const parts = [...box.querySelectorAll(selector)].filter((part) => part.checkVisibility());
    if (parts.length === 0) return Number.NaN;
    return Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)) - bottom;
  }, selector);

test("no scenario cuts off or overlaps text, and two nodes show all their parts", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openFirst(page);
  for (const { id, isPair } of PRESETS) {
    await open(page, id);
    for (const [width, height] of [
      [1440, 900],
      [1280, 720],
      [1920, 1080],
    ] as const) {
      await page.setViewportSize({ width, height });
      const at = `${id} at ${width} x ${height}`;
      await expect
        .poll(() => cutTexts(page, ".trans, .node-top, .axis, .lru, .io"), at)
        .toEqual([]);
      await expect.poll(() => overlaps(page, ".trans, .happens"), at).toEqual([]);
      await expect.poll(() => sideways(page), at).toBeLessThanOrEqual(0);
      if (!isPair) continue;
      for (const part of [".lru, .lists", ".tasks", ".io"])
        await expect.poll(() => outOfSight(page, part), `${part} of ${at}`).toBeLessThanOrEqual(1);
      expect(await below(page), at).toBeLessThanOrEqual(1);
    }
  }
});

test("a stage that does not fit scrolls, and a line says so", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(eightNodesAddress());
  await expect(page.getByRole("region", { name: "Node 7", exact: true })).toBeVisible({
    timeout: 30_000,
  });
  const more = page.getByRole("button", { name: "More of the machine below" });
  await expect(more).toBeVisible();
  // The line disappears while the last click still scrolls, perhaps between a check and the next click.
  await expect(async () => {
    if (await more.isVisible()) await more.click({ timeout: 1000 });
    await expect(more).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(page.getByRole("region", { name: "Tasks" })).toBeInViewport();
});

test("counters take space from the lanes of the timeline, not from the machine", async ({
  page,
}) => {
  await openFirst(page);
  const tasks = page.getByRole("region", { name: "Tasks" });
  const before = await tasks.boundingBox();
  await page.getByRole("button", { name: "Counters", exact: true }).click();
  const boxes = page.getByRole("dialog").getByRole("checkbox", { checked: false });
  for (let i = 0; i < 2; i += 1) await boxes.first().check();
  await page.keyboard.press("Escape");
  await expect(page.locator(".chart .lane.track")).toHaveCount(2);
  expect(await tasks.boundingBox()).toEqual(before);
  await expect.poll(() => outOfSight(page, ".io")).toBeLessThanOrEqual(1);
  // The requested counter is visible.
  await expect(page.locator(".chart .lane.track").last()).toBeInViewport();
});

test("nothing moves during a run, from its start to its end", async ({ page }) => {
  await openFirst(page);
  const places = () =>
    page.evaluate(() =>
      [".map", ".tasks", ".io", ".happens", ".time"].map((part) => {
        const { y, height } = document.querySelector(part)?.getBoundingClientRect() ?? {};
        return [part, y, height];
      }),
    );
  await open(page, "anon-hog.teach");
  await page.keyboard.press("Home");
  await expect(clockOf(page)).toContainText("#0 ");
  const start = await places();
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 30_000 });
  expect(await places()).toEqual(start);
});

/** A step as long as in the longest runs. */
const LONG = 1_234_567_890_123;

test("a step of thirteen digits and a long notice fit at every width", async ({ page }) => {
  await openFirst(page);
  // No test waits until the first scenario has run that long: only the text is replaced.
  const put = () =>
    page.evaluate((words) => {
      for (const [selector, text] of [
        [".event b", `#${words}`],
        [".event > span", `of ${words}\u2009+`],
      ] as const) {
        const place = document.querySelector(selector);
        if (place) place.textContent = text;
      }
      document.querySelector<HTMLElement>(".event")?.setAttribute("data-lines", "2");
    }, LONG.toLocaleString("en-GB"));
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [1920, 1080],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const at = `at ${width} x ${height}`;
    await put();
    const bar = width > 600 ? ".trans" : ".phonebar .place";
    await expect.poll(() => overlaps(page, bar), at).toEqual([]);
    await expect.poll(() => cutTexts(page, `${bar}, .event`), at).toEqual([]);
    await expect.poll(() => sideways(page), at).toBeLessThanOrEqual(0);
  }
});

test("shows the longest notice in full beside the ticker", async ({ page }) => {
  await openFirst(page);
  // A link of another engine has the longest notice.
  const cursor = { step: 500, time_ns: 5000, hash: "0123456789abcdef", engine: "99.99.99" };
  const link = pack(JSON.stringify({ v: 1, preset: "anon-hog.teach", cursor }));
  await page.goto(`./#/workbench?x=${link}`);
  const notice = page.getByRole("region", { name: "Last action" });
  await expect(notice).toContainText("This link was made with engine", { timeout: 30_000 });
  await notice.hover();
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const at = `at ${width} x ${height}`;
    await expect(notice, at).toContainText("the step may differ");
    await expect.poll(() => cutTexts(page, ".notice"), at).toEqual([]);
    await expect.poll(() => overlaps(page, ".happens"), at).toEqual([]);
    const box = await notice.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0), at).toBeLessThanOrEqual(width);
    expect((box?.y ?? 0) + (box?.height ?? 0), at).toBeLessThanOrEqual(height + 1);
  }
});

test("the stage of a lesson shows its lists and tasks at 1440 x 900 and where it scrolls", async ({
  page,
}) => {
  for (const id of [
    "watermarks-and-kswapd",
    "dirty-pages",
    "the-stall-that-was-not-the-disk",
    "stalling-on-nothing",
    "when-kswapd-shrinks-a-zone-that-was-fine",
    "making-room-for-a-huge-page",
  ]) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`./#/lesson/${id}`);
    const stage = page.getByRole("region", { name: "The machine" });
    await expect(stage.getByRole("region", { name: "Tasks" })).toBeVisible({ timeout: 30_000 });
    const hidden = () => stage.evaluate((box) => box.scrollHeight - box.clientHeight);
    await expect.poll(hidden, id).toBeLessThanOrEqual(1);
    await page.setViewportSize({ width: 1280, height: 720 });
    const more = page.getByRole("button", { name: "More of the machine below" });
    await expect.poll(async () => (await hidden()) > 1 === (await more.isVisible()), id).toBe(true);
    if (await more.isVisible()) await more.click();
    await expect(stage.getByRole("region", { name: "Tasks" }), id).toBeInViewport();
  }
});
