import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { canZoom, choose, goToMoment, isFound, settled, showAll, stepOn } from "./journey";
import { annotate, captionOf, leave, openShare, savedOf } from "./keep";
import { openFirst } from "./links";

/** The keys that open the dialogs of the workbench. */
const DIALOG_KEYS = ["?", "s", "x", "Shift+S", "p", "g"];

test("axe finds no violation on the workbench in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await axeFindsNothing(page);
  await page.keyboard.press("b");
  await expect(page.getByRole("tab", { name: /^Breakpoints/ })).toContainText("1");
  for (const tab of ["Breakpoints", "Values"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("region", { name: tab })).toBeVisible();
    await axeFindsNothing(page, { part: ".side" });
  }
});

test("axe finds no violation in the dialogs in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  for (const key of DIALOG_KEYS) {
    await page.keyboard.press(key);
    await expect(page.getByRole("dialog")).toBeVisible();
    await axeFindsNothing(page, { part: "dialog" });
    await leave(page);
  }
});

test("axe finds no violation in the timeline and its dialogs in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await page.keyboard.press("m");
  await page.keyboard.press("o");
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByRole("status")).toContainText("scanned");
  const look = (part: string) => axeFindsNothing(page, { part });
  await look(".time");
  for (const name of ["Counters", /^Bookmarks/, "All totals", "Disturb"]) {
    await timeline.getByRole("button", { name }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look("dialog");
    await leave(page);
  }
  const share = await openShare(page);
  await share.getByRole("button", { name: "Table", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "The timeline as a table" })).toBeVisible();
  await look("dialog");
});

test("axe finds no violation in saved moments and notes in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await annotate(page, "What to look at", `A note.\n${"Much of it. ".repeat(120)}`);
  const share = await openShare(page);
  await share.getByRole("button", { name: "Show title and note on the page" }).click();
  await expect(captionOf(page)).toBeVisible();
  await axeFindsNothing(page, { part: ".caption" });
  await page.keyboard.press("Shift+S");
  const saved = savedOf(page);
  await saved.getByRole("button", { name: "Save this moment" }).click();
  await expect(saved.getByRole("listitem")).toHaveCount(1);
  await axeFindsNothing(page, { part: "dialog" });
  await saved.getByRole("button", { name: /^Rename/ }).click();
  await saved.getByRole("button", { name: "Erase everything" }).click();
  await axeFindsNothing(page, { part: "dialog" });
  await saved.getByRole("button", { name: "Keep them" }).click();
  await saved.getByRole("button", { name: "Cancel" }).click();
  await saved.getByRole("button", { name: /^Delete/ }).click();
  await expect(saved.getByRole("button", { name: "Undo" })).toBeVisible();
  await axeFindsNothing(page, { part: "dialog" });
});

test("axe finds no violation on the first page and in a lesson in either theme", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./");
  await expect(page.getByText(/not above low \(/).first()).toBeVisible({ timeout: 20_000 });
  await axeFindsNothing(page);
  await page.getByRole("link", { name: /^Watermarks and kswapd \d/ }).click();
  const film = page
    .getByRole("region", { name: "Prediction", exact: true })
    .filter({ hasText: /streams the whole film/ });
  await film.getByRole("radio", { name: /^kswapd/ }).check();
  await film.getByRole("button", { name: "Run it" }).click();
  await expect(film.getByText(/^Not this time/)).toBeVisible({ timeout: 20_000 });
  await axeFindsNothing(page);
});

test("axe finds no violation in a lesson with tables and a build in either theme", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./#/lesson/the-stall-that-was-not-the-disk");
  await showAll(page);
  const build = page.getByRole("region", { name: "Construction" });
  await build.getByRole("button", { name: "Try it" }).click();
  await expect(build.getByText("Not yet.")).toBeVisible({ timeout: 20_000 });
  await page.getByText("15 more rows").click();
  await axeFindsNothing(page);
});

test("axe finds no violation during reclaim and during a long run", async ({ page }) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const found = async () => {
    const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
    return violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]);
  };
  expect(await found()).toEqual([]);
  const fold = page.getByRole("button", { name: "Timeline" });
  await fold.click();
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await page.getByRole("button", { name: "Free lists" }).first().click();
  await expect(page.getByRole("table", { name: /^Free blocks/ }).first()).toBeVisible();
  expect(await found()).toEqual([]);
  await choose(page, /^A streaming reader beside a working set(?!,)/);
  await page.keyboard.press("End");
  await expect(page.getByRole("progressbar")).toBeVisible({ timeout: 20_000 });
  expect(await found()).toEqual([]);
  await page.keyboard.press("k");
});

test("axe finds no violation in the explanations in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await choose(page, /^Writers faster than the disk, teaching size/);
  await goToMoment(page, "writerIsThrottled");
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  await explain.getByRole("button", { name: "Allocation" }).click();
  await expect(explain.getByText(/was allocated at|has no page yet/).first()).toBeVisible();
  await axeFindsNothing(page, { part: ".side" });
  await explain.getByRole("button", { name: /^0x/ }).first().click();
  await explain.getByRole("button", { name: "Page frame" }).click();
  await expect(explain.getByText(/^From boot to now/)).toBeVisible();
  await axeFindsNothing(page, { part: ".side" });
  await page.keyboard.press("End");
  await explain.getByRole("button", { name: "Reclaim" }).click();
  await explain.getByRole("button", { name: "The run so far" }).click();
  await expect(explain.getByText(/scanned here/)).toBeVisible({ timeout: 20_000 });
  await isFound(explain.locator(".look"));
  await axeFindsNothing(page, { part: ".side" });
});

test("axe finds no violation at any level of the page map in either theme", async ({ page }) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await choose(page, /^First touch on two nodes(?!,)/);
  await canZoom(page);
  const whole = page.getByRole("grid", { name: /^Page map of node 0/ });
  await whole.focus();
  await page.keyboard.press("ArrowRight");
  await expect(whole.getByRole("gridcell")).toContainText(/^0x/);
  for (const name of [/^Pageblocks of node 0/, /^Pages of block/, /^Page 0x/]) {
    await page.keyboard.press("Enter");
    const shown = page.getByRole("grid", { name }).or(page.getByRole("region", { name }));
    await expect(shown).toBeFocused();
    await axeFindsNothing(page, { part: ".map" });
  }
});

test("stepping shifts no layout", async ({ page }) => {
  await openFirst(page);
  await page.evaluate(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ("value" in entry) shifts.push(Number(entry.value));
    }).observe({ type: "layout-shift", buffered: false });
  });
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("main, aside, aside > section, header, .time, svg.tank")].map(
        (element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [x, y, width, height];
        },
      ),
    );
  await canZoom(page);
  const before = await settled(places);
  await stepOn(page, 25);
  expect(await places()).toEqual(before);
  // Sentences and functions wrap differently, so each is compared separately.
  const shifts = await page.evaluate((): number[] => Reflect.get(window, "shifts"));
  expect(Math.max(0, ...shifts)).toBeLessThan(0.02);
});

test("a colour with low contrast in one theme is reported for that theme", async ({ page }) => {
  for (const [ink, theme] of [
    ["light-dark(#dddddd, #ffffff)", "light"],
    ["light-dark(#000000, #222222)", "dark"],
  ]) {
    await page.setContent(
      `<!doctype html><html lang="en" style="color-scheme: light dark"><title>Ink</title>
      <body style="background: light-dark(#ffffff, #000000); color: ${ink}"><p>Words</p></body></html>`,
    );
    await expect(axeFindsNothing(page)).rejects.toThrow(`in the ${theme} theme`);
  }
});
