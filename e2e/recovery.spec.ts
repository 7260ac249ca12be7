// The user's work survives a broken engine, a lost canvas and a closed tab.

import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { isAt, settled, stepOn } from "./journey";
import { annotate, leave, openShare, shareOf } from "./keep";
import { cursorOf, documentOf, openFirst, pack } from "./links";

// Each test opens the page several times.
test.describe.configure({ timeout: 90_000 });

const numbered = (step: number) => `#${step.toLocaleString("en-GB")}`;
const draft = (page: Page) => page.evaluate(() => localStorage.getItem("mmscope.draft") ?? "");
const BOOKMARKS = [
  { step: 100, time_ns: 1000, note: "the first" },
  { step: 200, time_ns: 2000, note: "the second" },
];

/**
 * The engine of the first worker breaks when it receives a request for this many steps: its exports throw the
 * same error as a trap. Later workers work.
 */
async function breakEngine(page: Page, steps: number): Promise<void> {
  const script = `
    let left = ${steps};
    addEventListener("message", ({ data }) => { if (data.kind === "step") left -= 1; });
    const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...of) {
      const instance = new Instance(...of);
      const broken = (works) => (...at) => {
        if (left <= 0) throw new WebAssembly.RuntimeError("unreachable");
        return works(...at);
      };
      const exports = Object.fromEntries(
        Object.entries(instance.exports).map(([name, value]) => [
          name,
          name.startsWith("engine_") ? broken(value) : value,
        ]),
      );
      return { exports };
    };`;
  await page.route(
    /engine\.worker.*\.js$/,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${script}\n${await response.text()}` });
    },
    { times: 1 },
  );
}

/**
 * The first worker ends without a message when it receives a request for this many steps. Later workers work.
 */
async function killEngine(page: Page, steps: number): Promise<void> {
  const script = `
    let left = ${steps};
    addEventListener("message", (event) => {
      if (event.data.kind === "step") left -= 1;
      if (left > 0) return;
      event.stopImmediatePropagation();
      close();
    });`;
  await page.route(
    /engine\.worker.*\.js$/,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${script}\n${await response.text()}` });
    },
    { times: 1 },
  );
}

/** Opens a moment with bookmarks, and adds a title, a note and a breakpoint. */
async function madeUp(page: Page) {
  const x = pack(
    JSON.stringify({
      v: 3,
      preset: "first-touch.teach",
      bookmarks: BOOKMARKS,
      cursor: { step: 20_000, time_ns: 0, hash: "0123456789abcdef", engine: "?" },
    }),
  );
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${x}`);
  await expect(page.getByText(/made with engine/).first()).toBeVisible({ timeout: 20_000 });
  await annotate(page, "What broke", "All of this stays.");
  await page.keyboard.press("b");
}

/** Expects that all of this is restored. */
async function isWhole(page: Page) {
  await expect.poll(() => documentOf(page.url()).bookmarks).toEqual(BOOKMARKS);
  const share = await openShare(page);
  await expect(share.getByRole("textbox", { name: "Title" })).toHaveValue("What broke");
  await expect(share.getByRole("textbox", { name: "Note" })).toHaveValue("All of this stays.");
  await leave(page);
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
}

test("a broken engine restarts one step earlier with all work", async ({ page }) => {
  await breakEngine(page, 4);
  await madeUp(page);
  const { step } = await cursorOf(page);
  await stepOn(page, 3);
  await page.keyboard.press("ArrowRight");
  const card = page.getByRole("alertdialog", { name: "The engine stopped" });
  await expect(card).toContainText("unreachable");
  await expect(card).toContainText("notes, bookmarks and breakpoints are kept");
  await card.getByRole("button", { name: `Restart at ${numbered(step + 2)}` }).click();
  await expect(card).toBeHidden();
  await isAt(page, step + 2);
  await isWhole(page);
  // The new engine knows the breakpoint, and the machine continues.
  await page.getByRole("button", { name: "Next hit" }).click();
  await expect(page.getByText(/No breakpoint is hit|^here$/).first()).toBeVisible();
});

test("detects a worker that dies silently and restarts it at the step of the machine", async ({
  page,
}) => {
  await killEngine(page, 3);
  await openFirst(page);
  const step = await stepOn(page, 2);
  await page.keyboard.press("ArrowRight");
  const card = page.getByRole("alertdialog", { name: "The engine stopped" });
  await expect(card).toContainText("The browser ended the worker");
  await card.getByRole("button", { name: `Restart at ${numbered(step)}` }).click();
  await expect(card).toBeHidden();
  await isAt(page, step);
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
  await stepOn(page);
});

test("fully restores a page that was closed with a broken engine", async ({ page, context }) => {
  await breakEngine(page, 1);
  await madeUp(page);
  const cursor = await cursorOf(page);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("alertdialog", { name: "The engine stopped" })).toBeVisible();
  const again = await reopened(page, context);
  expect(await cursorOf(again)).toEqual(cursor);
  await isWhole(again);
});

test("opens another experiment after the engine broke", async ({ page }) => {
  await breakEngine(page, 1);
  await openFirst(page);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("alertdialog", { name: "The engine stopped" })).toBeVisible();
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: /^A hog that must swap, teaching size/ }).click();
  await expect(page.getByRole("button", { name: /^Scenario: A hog that must swap/ })).toBeVisible();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled();
  await stepOn(page);
});

/** Closes the tab and opens the bare page in another one. */
async function reopened(page: Page, context: BrowserContext): Promise<Page> {
  await page.close({ runBeforeUnload: true });
  const again = await context.newPage();
  await again.goto("./#/workbench");
  await expect(again.getByRole("region", { name: "Why" })).toBeVisible({ timeout: 20_000 });
  return again;
}

/** Disables debounced saving; only immediate saves remain. */
const NEVER_AFTER_A_PAUSE = () => {
  const start = window.setTimeout;
  Object.assign(window, {
    setTimeout: (work: () => void, ms?: number) => (ms === 150 ? 0 : start(work, ms)),
  });
};

for (const how of ["pagehide", "visibilitychange"] as const) {
  test(`a note typed just before ${how} is saved`, async ({ page, context }) => {
    await page.addInitScript(NEVER_AFTER_A_PAUSE);
    await openFirst(page);
    const share = await openShare(page);
    const before = await draft(page);
    expect(before).not.toBe("");
    await share.getByRole("textbox", { name: "Note" }).fill("Just before it was gone.");
    if (how === "pagehide") await page.goto("about:blank");
    else {
      await page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { value: "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      expect(await draft(page)).not.toBe(before);
    }
    const again = await context.newPage();
    await again.goto("./#/workbench");
    await cursorOf(again);
    await again.keyboard.press("s");
    await expect(shareOf(again).getByRole("textbox", { name: "Note" })).toHaveValue(
      "Just before it was gone.",
    );
  });
}

test("restores a closed tab with experiment, step and all work", async ({ page, context }) => {
  await madeUp(page);
  const step = await stepOn(page, 3);
  const cursor = await cursorOf(page);
  expect(cursor.step).toBe(step);
  const again = await reopened(page, context);
  expect(await cursorOf(again)).toEqual(cursor);
  await isWhole(again);
});

const picture = (page: Page) => page.getByRole("main").locator("canvas").first();

/** The width of a canvas that was not painted yet. */
const UNPAINTED_PX = 300;

/** The zoomable map replaces the first one, and is painted a frame later. */
async function painted(page: Page): Promise<void> {
  await expect(page.locator(".map[data-level]").first()).toBeVisible();
  await expect
    .poll(() => picture(page).evaluate((canvas: HTMLCanvasElement) => canvas.width))
    .not.toBe(UNPAINTED_PX);
  await settled(() => pixels(page));
}

const pixels = (page: Page) =>
  picture(page).evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

/** Makes the browser discard the canvas. */
const loseIt = (page: Page) =>
  picture(page).evaluate((canvas: HTMLCanvasElement) => {
    canvas.getContext("2d")?.reset();
    canvas.dispatchEvent(new Event("contextlost"));
  });

test("paints a lost canvas again when the browser restores it", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  await painted(page);
  const before = await pixels(page);
  await loseIt(page);
  await page.waitForTimeout(300);
  expect(await pixels(page)).not.toBe(before);
  await picture(page).evaluate((canvas) => canvas.dispatchEvent(new Event("contextrestored")));
  await expect.poll(() => pixels(page)).toBe(before);
  await page.waitForTimeout(1700);
  await expect(page.getByText(/browser discarded a picture/)).toBeHidden();
});

test("reports a discarded canvas and draws it again", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  await painted(page);
  const before = await pixels(page);
  const lost = await picture(page).elementHandle();
  await loseIt(page);
  expect(await pixels(page)).not.toBe(before);
  await expect(
    page.getByText(/browser discarded a picture, which is now drawn again/),
  ).toBeVisible();
  await expect.poll(() => pixels(page)).toBe(before);
  // Its old canvas may be unusable.
  expect(await lost?.evaluate((canvas) => canvas.isConnected)).toBe(false);
});
