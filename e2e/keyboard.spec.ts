import { expect, test } from "@playwright/test";
import { canZoom, isAt, settled, stepOn } from "./journey";
import { cursorOf, openFirst, pack } from "./links";

test("every action on the page is possible by keyboard", async ({ page }) => {
  await openFirst(page);
  const start = await cursorOf(page);
  await stepOn(page);
  await expect(page.getByTestId("narration")).not.toBeEmpty();
  await page.keyboard.press("ArrowLeft");
  await isAt(page, start.step);
  expect(await cursorOf(page)).toEqual(start);

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys and help" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.getByRole("button", { name: "Play" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();

  await canZoom(page);
  const map = page.getByRole("grid", { name: /Page map of node 1/ });
  await map.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(map.getByRole("gridcell")).toContainText("0x100841, Normal on node 1:");

  await page.keyboard.press("p");
  await expect(page.getByRole("dialog", { name: "The files of /proc" })).toBeVisible();
  await page.getByRole("button", { name: "buddyinfo", exact: true }).press("Enter");
  await expect(page.getByRole("region", { name: "/proc/buddyinfo" })).toContainText(
    /Node 0, zone +DMA32/,
  );
  await page.keyboard.press("Escape");
});

test("function keys belong to the browser until the workbench has the focus", async ({ page }) => {
  await openFirst(page);
  const { step } = await cursorOf(page);
  await page.keyboard.press("F11");
  await page.waitForTimeout(200);
  expect((await cursorOf(page)).step).toBe(step);
  await page.keyboard.press("Tab");
  await page.keyboard.press("F11");
  await expect.poll(async () => (await cursorOf(page)).step).toBeGreaterThan(step);
});

test("Tab visits the regions in order, and the focus is visible", async ({ page }) => {
  await openFirst(page);
  // The zoomable map must not replace the plain one in between.
  await canZoom(page);
  const seen: string[] = [];
  for (let i = 0; i < 120; i += 1) {
    await page.keyboard.press("Tab");
    const region = await page.evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body) return "";
      const holder = at.closest("header.top, nav, main, aside, .ticker, .time");
      const name = holder?.getAttribute("aria-label") ?? holder?.tagName ?? "elsewhere";
      return getComputedStyle(at).outlineStyle === "none" ? `${name} unseen` : name;
    });
    if (region === "") break;
    if (seen.at(-1) !== region) seen.push(region);
  }
  expect(seen).toEqual([
    "HEADER",
    "Transport",
    "The machine",
    "Debugger",
    "What happens",
    "Timeline",
  ]);
});

test("Tab reaches the legend in visual order, after the first zones and before the maps", async ({
  page,
}) => {
  await openFirst(page);
  await canZoom(page);
  const node = page.getByRole("region", { name: "Node 0", exact: true });
  const legend = page.getByRole("list", { name: "Page states" });
  await legend.getByRole("button").first().focus();
  await page.keyboard.press("Shift+Tab");
  await expect(node.getByRole("button", { name: "Normal on node 0", exact: true })).toBeFocused();
  await legend.getByRole("button").last().focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("grid", { name: /Page map of node 0/ })).toBeFocused();
});

test("the keyboard moves through the map of a real-size machine cell by cell", async ({ page }) => {
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ v: 1, preset: "first-touch" }))}`);
  const map = page.getByRole("grid", { name: /Page map of node 0/ });
  const cell = map.getByRole("gridcell");
  await canZoom(page);
  // The size of a cell appears only once.
  await expect(page.getByText(/pageblocks, 4.MiB/).filter({ visible: true })).toHaveCount(1);
  await map.focus();
  await page.keyboard.press("Home");
  await expect(cell).toContainText(/^0x1 to 0x3ff, DMA on node 0: .*free.*not present/);
  await page.keyboard.press("ArrowDown");
  await expect(cell).toContainText(/^0x1000 to 0x13ff, DMA32 on node 0: /);
  await page.keyboard.press("ArrowRight");
  await expect(cell).toContainText(/^0x1400 to 0x17ff, DMA32 on node 0: /);
  await page.keyboard.press("End");
  await expect(cell).toContainText(/^0x1bfc00 to 0x1bffff, Normal on node 0: /);
  const box = await map.boundingBox();
  if (!box) throw new Error("the map has no place");
  await page.mouse.move(box.x + 12, box.y + 18);
  await expect(page.getByText(/^0x400 to 0x7ff, DMA on node 0: 100/).first()).toBeVisible();
});

test("the focus stays on a button that can no longer act", async ({ page }) => {
  await openFirst(page);
  const toStart = page.getByRole("button", { name: "To start" });
  await toStart.focus();
  await page.keyboard.press("Enter");
  await isAt(page, 0);
  await expect(toStart).toBeDisabled();
  await expect(toStart).toBeFocused();
  // The button announces that it does nothing, and does nothing.
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Into" }).press("Enter");
  await isAt(page, 1);
  await expect(page.getByRole("button", { name: "Into" })).toBeFocused();
});

test("arrow keys move the edge of the timeline, and a key restores it", async ({ page }) => {
  await openFirst(page);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const height = async () => (await timeline.boundingBox())?.height ?? 0;
  const grip = page.getByRole("separator", { name: "Height of the timeline" });
  await grip.focus();
  const before = await settled(height);
  const { step } = await cursorOf(page);
  for (let i = 0; i < 5; i += 1) await page.keyboard.press("ArrowUp");
  await expect.poll(height).toBe(before + 120);
  // All lanes are visible, and the machine has not moved.
  await expect(timeline.getByText("1/Normal")).toBeInViewport({ ratio: 1 });
  expect((await cursorOf(page)).step).toBe(step);
  await page.keyboard.press("Home");
  await expect.poll(height).toBe(before);
});

test("an enlarged timeline keeps its height after a reload until it is reset", async ({ page }) => {
  await openFirst(page);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const height = async () => (await timeline.boundingBox())?.height ?? 0;
  const grip = page.getByRole("separator", { name: "Height of the timeline" });
  await expect(grip).toBeVisible();
  const before = await settled(height);
  const { x, y, width } = (await grip.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  await page.mouse.move(x + width / 2, y + 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y - 98, { steps: 4 });
  await page.mouse.up();
  await expect.poll(height).toBe(before + 100);
  await page.reload();
  await expect(grip).toHaveAttribute("aria-valuetext", `${before + 100} px`);
  await expect.poll(height).toBe(before + 100);

  await grip.focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(height).toBe(before + 76);
  // Folded it is one line; unfolded it has its previous height.
  const fold = timeline.getByRole("button", { name: "Timeline" });
  await fold.click();
  await expect.poll(height).toBeLessThan(60);
  await fold.click();
  await expect.poll(height).toBe(before + 76);
  // Other pages have no timeline. When the user returns, the timeline is unchanged.
  await page.goto("./#/report");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Published tables and simulated results",
  );
  await openFirst(page);
  await expect.poll(height).toBe(before + 76);

  await grip.focus();
  await page.keyboard.press("Home");
  await expect.poll(height).toBe(before);
  await page.reload();
  await expect(grip).toHaveAttribute("aria-valuetext", `${before} px`);
  await expect.poll(height).toBe(before);
});

for (const [name, fault] of [
  [
    "forbidden",
    () => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    },
  ],
  [
    "full",
    () => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    },
  ],
] as const) {
  test(`the edge of the timeline moves with storage ${name}`, async ({ page }) => {
    await page.addInitScript(fault);
    await openFirst(page);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const height = async () => (await timeline.boundingBox())?.height ?? 0;
    const grip = page.getByRole("separator", { name: "Height of the timeline" });
    await grip.focus();
    const before = await settled(height);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowUp");
    await expect.poll(height).toBe(before + 72);
    await page.keyboard.press("Home");
    await expect.poll(height).toBe(before);
  });
}

test("nothing behind the event log receives the focus", async ({ page }) => {
  await openFirst(page);
  await page.keyboard.press("e");
  const log = page.getByRole("region", { name: "Event log" });
  await expect(log).toBeVisible();
  const top = async () => (await log.boundingBox())?.y ?? 0;
  const pill = page.getByRole("region", { name: "Tasks" }).getByRole("button").first();
  await pill.focus();
  const bottom = async () => {
    const box = await pill.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await expect.poll(async () => (await bottom()) <= (await top())).toBe(true);
  await expect(page.getByRole("button", { name: "Bookmarks" })).toBeHidden();
});

test("the focus moves to the result after an answer by keyboard", async ({ page }) => {
  await page.goto("./#/lesson/the-stall-that-was-not-the-disk");
  const ask = page.getByRole("region", { name: "Prediction", exact: true }).first();
  await ask.getByRole("radio").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await expect(ask.getByRole("button", { name: "Run it" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(ask.getByText(/^(Right\.|Not this time)/)).toBeVisible({ timeout: 30_000 });
  await expect(ask.getByRole("status")).toBeFocused();
});

test("the focus stays nearby when its button disappears", async ({ page }) => {
  await openFirst(page);
  // A fork makes another run; the workbench around the machine remains.
  const disturb = page.getByRole("button", { name: "Disturb" });
  await disturb.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Disturb the machine" });
  await expect(dialog.getByRole("button", { name: "Drop caches" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/^Fork at /).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
  await expect(disturb).toBeFocused();

  // A breakpoint: its form closes when it is added, opens again, and the breakpoint is removed.
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  const stops = page.getByRole("region", { name: "Breakpoints" });
  const add = stops.getByRole("button", { name: "Add", exact: true });
  await add.press("Enter");
  const more = stops.getByRole("button", { name: "Add a breakpoint" });
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  const kind = stops.getByRole("combobox", { name: "Stop when" });
  await expect(kind).toBeFocused();
  await stops.getByRole("button", { name: /^Remove: / }).press("Enter");
  await expect(kind).toBeFocused();
});

test("the times remain visible when the playhead receives the focus", async ({ page }) => {
  await openFirst(page);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const first = timeline.getByText("touch/1", { exact: true });
  await expect(first).toBeInViewport({ ratio: 1 });
  await timeline.getByRole("button", { name: "Disturb" }).focus();
  await page.keyboard.press("Tab");
  await expect(timeline.getByRole("slider", { name: "Playhead" })).toBeFocused();
  await expect.poll(() => timeline.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  await expect(first).toBeInViewport({ ratio: 1 });
});
