import { readFileSync } from "node:fs";
import { type Download, expect, type Locator, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { choose, goToMoment, goToStep, isAt, isFound, whyOf } from "./journey";
import { openFirst } from "./links";

const logOf = (page: Page) => page.getByRole("region", { name: "Event log" });
const rowsOf = (page: Page) => page.getByRole("grid", { name: "Events" }).getByRole("row");
const stateOf = (page: Page) => logOf(page).getByRole("status").filter({ hasText: /event/ });

/** The step in the text of a row. */
const stepText = async (row: Locator) =>
  (await row.getByRole("button", { name: /^Go to step/ }).textContent())?.replace("#", "") ?? "";
const numberOf = (step: string) => Number(step.replaceAll(",", ""));

/** Waits until all results have arrived; `state` is the text shown then. */
async function isListed(page: Page, state: string | RegExp) {
  await expect(stateOf(page)).toContainText(state);
  await isFound(page.getByRole("grid", { name: "Events" }));
}

/** Opens the log at a step where a hog is in direct reclaim. */
async function openLog(page: Page): Promise<number> {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const step = await goToMoment(page, "hogReclaims");
  await page.getByRole("button", { name: "All events" }).click();
  await isListed(page, `to #${step.toLocaleString("en-GB")}.`);
  await expect(stateOf(page)).toContainText(/^[1-9][\d,]* events from/);
  return step;
}

/** Presses a button that saves a file, and reads the file. */
async function saved(page: Page, button: string): Promise<string> {
  const waiting = page.waitForEvent("download");
  await logOf(page).getByRole("button", { name: button, exact: true }).click();
  const download: Download = await waiting;
  return readFileSync(await download.path(), "utf8");
}

test("finds an event in the log and goes to its step", async ({ page }) => {
  const start = await openLog(page);
  // The row of the current step is drawn once the list has scrolled to it.
  await expect(page.locator("[role=grid][aria-label=Events] [aria-current=step]")).toContainText(
    `#${start.toLocaleString("en-GB")}`,
  );

  await logOf(page).getByRole("button", { name: "Task: All" }).click();
  await page.getByRole("menuitemradio", { name: /^kswapd1/ }).click();
  await expect(logOf(page).getByRole("button", { name: /^Task: kswapd1/ })).toBeVisible();
  await isListed(page, /^[1-9][\d,]* events? from/);
  await logOf(page).getByRole("searchbox", { name: "Search the events" }).fill("shrink_inactive");
  await isListed(page, /^[1-9][\d,]* of [\d,]+ events/);

  const found = rowsOf(page).filter({ hasText: "mm_vmscan_lru_shrink_inactive" });
  const row = found.last();
  await expect(row).toContainText("kswapd1");
  const fields = (await row.getByRole("gridcell").last().textContent())?.trim() ?? "";
  const step = numberOf(await stepText(row));
  expect(step).toBeLessThanOrEqual(start);
  await row.getByRole("button", { name: /^Go to step/ }).click();
  await isAt(page, step);
  const events = page.getByRole("region", { name: "Events in this step" });
  await expect(events).toContainText("mm_vmscan_lru_shrink_inactive");
  await expect(events).toContainText(fields);
  await expect(row).toHaveAttribute("aria-current", "step");
  await expect(logOf(page)).toBeVisible();
});

test("the keyboard moves through the log and leaves it", async ({ page }) => {
  const start = await openLog(page);
  const grid = page.getByRole("grid", { name: "Events" });
  await expect(grid).toBeFocused();
  const chosen = grid.locator("[aria-selected=true]");
  const index = async () => Number(await chosen.getAttribute("aria-rowindex"));
  const last = await index();
  await page.keyboard.press("PageUp");
  await expect.poll(index).toBeLessThan(last - 1);
  const pageUp = await index();
  await page.keyboard.press("ArrowUp");
  await expect.poll(index).toBe(pageUp - 1);
  const step = await stepText(chosen);
  expect(numberOf(step)).toBeLessThan(start);
  await page.keyboard.press("Enter");
  await isAt(page, numberOf(step));
  await page.keyboard.press("Home");
  await expect(chosen).toBeInViewport();
  await expect(chosen).toHaveAttribute("aria-rowindex", "2");
  const known = async () =>
    Number((await stateOf(page).textContent())?.split(" ")[0]?.replaceAll(",", ""));
  await isFound(grid);
  const before = await known();
  await logOf(page).getByRole("button", { name: "Earlier" }).click();
  await expect.poll(known).toBeGreaterThan(before + 1000);
  await isFound(grid);
  await grid.focus();
  await page.keyboard.press("Escape");
  await expect(logOf(page)).toBeHidden();
  await page.keyboard.press("e");
  await expect(grid).toBeFocused();
  await page.keyboard.press("e");
  await expect(logOf(page)).toBeHidden();
});

test("a page named in the log is highlighted on the stage", async ({ page }) => {
  await openLog(page);
  await logOf(page).getByRole("button", { name: "Event: All" }).click();
  await page.getByRole("menuitemradio", { name: "mm_page_alloc", exact: true }).click();
  await expect(logOf(page).getByRole("button", { name: "Event: mm_page_alloc" })).toBeVisible();
  await isListed(page, /^[1-9][\d,]* events? from/);
  const all = (await stateOf(page).textContent()) ?? "";
  const row = rowsOf(page).filter({ hasText: "pfn=0x" }).last();
  const name = row.getByRole("button", { name: /^0x/ });
  const pfn = (await name.textContent()) ?? "";
  const zone = row.getByRole("button", { name: /^\d\/\w+/ });
  await name.click();
  await expect(name).toHaveAttribute("aria-pressed", "true");
  await zone.click();
  await expect(zone).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("img", { name: /^Zone / }).first()).toBeVisible();

  const field = logOf(page).getByRole("textbox", { name: /^Page frame/ });
  await field.fill(pfn);
  await field.press("Enter");
  await expect(stateOf(page)).not.toHaveText(all);
  await isListed(page, /^[1-9][\d,]* events? from/);
  const cells = await rowsOf(page).filter({ hasText: "pfn=" }).allTextContents();
  expect(cells.length).toBeGreaterThan(0);
  expect(cells.every((text) => text.includes("mm_page_alloc"))).toBe(true);
});

test("lists and saves decisions with the events or alone", async ({ page }) => {
  await openLog(page);
  const grid = page.getByRole("grid", { name: "Events" });
  const decisions = async (now: string, then: string) => {
    await logOf(page)
      .getByRole("button", { name: `Decisions: ${now}` })
      .click();
    await page.getByRole("menuitemradio", { name: new RegExp(`^${then}`) }).click();
    await expect(logOf(page).getByRole("button", { name: `Decisions: ${then}` })).toBeVisible();
  };
  await decisions("None", "Shown");
  const both = logOf(page)
    .getByRole("status")
    .filter({ hasText: /events and decisions from/ });
  await expect(both).toContainText(/^[1-9]/);
  await isFound(grid);
  await expect(grid.getByRole("row").filter({ hasText: "decision" }).last()).toBeVisible();

  await decisions("Shown", "Only");
  const alone = logOf(page)
    .getByRole("status")
    .filter({ hasText: /decisions from/ });
  await expect(alone).toContainText(/^[1-9][\d,]* decisions from/);
  await isFound(grid);
  await logOf(page).getByRole("searchbox").fill("which is above");
  await expect(alone).toContainText(/^[1-9][\d,]* of /);
  const shown = Number((await alone.textContent())?.split(" ")[0]?.replaceAll(",", ""));
  const row = grid.getByRole("row").filter({ hasText: "decision" }).last();
  const sentence = (await row.getByRole("gridcell").last().textContent()) ?? "";
  const step = numberOf(await stepText(row));

  const table = (await saved(page, "CSV")).trimEnd().split("\r\n");
  expect(table.length).toBe(shown + 1);
  expect(table[0]).toMatch(/,fields,sentence$/);
  expect(table.at(-1)).toContain(sentence);
  const objects: Record<string, unknown>[] = JSON.parse(await saved(page, "JSON"));
  expect(objects.length).toBe(shown);
  expect(objects.at(-1)).toMatchObject({ step, sentence, kernel_tracepoint: false });
  // A search finds the names of its fields.
  expect(table.at(-1)).toMatch(/,zone=\d\/\w+ free=\d+ counted=-?\d+ mark=\w+ /);
  expect(Object.keys(objects.at(-1)?.fields ?? {})).toEqual(
    expect.arrayContaining(["free", "needs"]),
  );

  // The page shows the same text at the step that made it.
  await row.getByRole("button", { name: /^Go to step/ }).click();
  await isAt(page, step);
  await expect(whyOf(page)).toHaveText(sentence);
});

test("a log opened at the start follows to the next step", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await page.keyboard.press("e");
  await isListed(page, "0 events from the start to #0.");
  await logOf(page).getByRole("grid").focus();
  await goToStep(page, 5000);
  await isListed(page, /^[1-9][\d,]* events from the start to #5,000\./);
});

test("saves exactly the visible rows", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openLog(page);
  await logOf(page).getByRole("searchbox").fill("kswapd0 isolate");
  await expect(stateOf(page)).toContainText(/^[\d,]+ of /);
  const shown = Number((await stateOf(page).textContent())?.split(" ")[0]?.replaceAll(",", ""));
  const step = numberOf(await stepText(rowsOf(page).last()));

  const table = (await saved(page, "CSV")).trimEnd().split("\r\n");
  expect(table.length).toBe(shown + 1);
  expect(table[0]).toMatch(/^step,time_ns,cpu,task,pid,event,/);
  expect(table.at(-1)).toMatch(
    new RegExp(`^${step},\\d+,\\d+,kswapd0,\\d+,mm_vmscan_lru_isolate,`),
  );

  const objects: Record<string, unknown>[] = JSON.parse(await saved(page, "JSON"));
  expect(objects.length).toBe(shown);
  expect(objects.at(-1)).toMatchObject({ step, task: "kswapd0", event: "mm_vmscan_lru_isolate" });

  const trace: { traceEvents: Record<string, unknown>[] } = JSON.parse(await saved(page, "Trace"));
  expect(trace.traceEvents.filter(({ ph }) => ph === "i").length).toBe(shown);
  expect(trace.traceEvents.some(({ ph, name }) => ph === "C" && name === "0/DMA")).toBe(true);

  await logOf(page).getByRole("button", { name: "Copy ftrace" }).click();
  await expect(logOf(page).getByText("Copied as ftrace text.")).toBeAttached();
  const lines = await page.evaluate(() => navigator.clipboard.readText());
  const kernels = lines.split("\n").filter((line) => / kswapd0-\d+ +\[\d{3}\] /.test(line));
  expect(kernels.length).toBe(shown);
  expect(kernels.at(-1)).toMatch(/mm_vmscan_lru_isolate: isolate_mode=\d .*order=0 nr_requested=/);
  const script = await saved(page, "ftrace for scripts");
  expect(script).toContain("# For the kernel's own scripts");
  expect(script.split("\n").filter((line) => / kswapd0-\d+ +\[\d{3}\] +\d/.test(line)).length).toBe(
    shown,
  );
});

test("axe finds no violation in the log in either theme", async ({ page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openLog(page);
  await page.keyboard.press("ArrowUp");
  // The line that announces more rows covers rows beneath it until the end is visible.
  await page.getByRole("main").evaluate((main) => main.scrollTo(0, main.scrollHeight));
  await axeFindsNothing(page);
});
