import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { isAt, stepOn } from "./journey";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 30_000 });
test.describe.configure({ timeout: 180_000 });

const paneOf = (page: Page, side: "A" | "B") =>
  page.getByRole("region", { name: `Machine ${side}` });
const forkOf = (page: Page) => page.getByRole("region", { name: "First divergence" });
const tableOf = (page: Page) => page.getByRole("region", { name: "Counters" }).first();
const playheadOf = (page: Page) => page.getByRole("slider", { name: "Playhead of both machines" });

/** The step that a pane shows. */
async function stepOf(page: Page, side: "A" | "B"): Promise<number> {
  const text = (await paneOf(page, side).locator(".compare-says").textContent()) ?? "";
  return Number((/#([\d,]+)/.exec(text)?.[1] ?? "-1").replaceAll(",", ""));
}

/** Opens the page and waits for both machines and the first divergence. */
async function openPair(page: Page, address = "./#/compare") {
  await page.goto(address);
  for (const side of ["A", "B"] as const)
    await expect(paneOf(page, side)).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  await expect(forkOf(page)).toContainText(
    /identically for|differ from the start|same to the end/,
    {
      timeout: 60_000,
    },
  );
}

test("opens the same moment under another kernel and returns with the same key", async ({
  page,
}) => {
  await page.goto("./#/workbench?preset=first-touch.teach");
  const step = await stepOn(page, 3);
  await page.keyboard.press("Shift+C");
  await expect(paneOf(page, "A")).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  await expect(paneOf(page, "B")).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  await expect.poll(() => stepOf(page, "A")).toBe(step);
  await expect.poll(() => stepOf(page, "B")).toBeGreaterThan(0);
  await expect(page).toHaveURL(/#\/compare\?a=.+&b=.+/);
  await page.keyboard.press("Shift+C");
  await isAt(page, step);
});

test("shows the CPU time of each task in both machines", async ({ page }) => {
  await openPair(page, "./#/compare");
  await page.getByRole("button", { name: "End", exact: true }).click();
  await expect.poll(() => stepOf(page, "A")).toBeGreaterThan(1000);
  const cpu = page.getByRole("region", { name: "CPU time" }).first();
  await cpu.getByRole("button", { name: "Show CPU time" }).click();
  const touch = cpu.getByRole("row", { name: /^touch\/1/ });
  await expect(touch.getByRole("cell").nth(2)).toHaveText(/%$/);
  await expect(touch.getByRole("cell").nth(5)).toHaveText(/%$/);
  await axeFindsNothing(page);
  await cpu.getByRole("button", { name: "Hide CPU time" }).click();
  await expect(cpu.getByRole("table")).toHaveCount(0);
});

test("finds and opens the first divergence, steps both sides, and compares the counters", async ({
  page,
}) => {
  await openPair(page);
  await expect(forkOf(page).getByText("The first decision that differs:")).toBeVisible();
  await forkOf(page)
    .getByRole("button", { name: /^Open in both/ })
    .click();
  await expect.poll(() => stepOf(page, "A")).toBeGreaterThan(0);
  const [a, b] = [await stepOf(page, "A"), await stepOf(page, "B")];
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => stepOf(page, "A")).toBe(a + 1);
  await expect.poll(() => stepOf(page, "B")).toBeGreaterThanOrEqual(b);
  await page.keyboard.press("Home");
  await expect.poll(() => stepOf(page, "A")).toBe(0);
  await expect.poll(() => stepOf(page, "B")).toBe(0);
  await page.keyboard.press("End");
  await expect.poll(() => stepOf(page, "B")).toBeGreaterThan(1000);
  await page.getByRole("checkbox", { name: "Show equal counters" }).check();
  await expect(tableOf(page).getByRole("row").nth(1)).toBeVisible();
  await tableOf(page).getByRole("button", { name: "Counter" }).click();
  await expect(tableOf(page).getByRole("columnheader", { name: "Counter" })).toHaveAttribute(
    "aria-sort",
    /ascending|descending/,
  );
  await axeFindsNothing(page);
});

test("a machine never diverges from itself", async ({ page }) => {
  await openPair(page);
  await page.getByRole("button", { name: /^Change B/ }).click();
  const dialog = page.getByRole("dialog", { name: "Choose machine B" });
  await axeFindsNothing(page, { part: "dialog" });
  await dialog.getByLabel("Kernel").selectOption("3.0");
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog).toBeHidden();
  await expect(forkOf(page)).toContainText("Both runs are the same to the end", {
    timeout: 60_000,
  });
  await page.keyboard.press("End");
  await expect.poll(() => stepOf(page, "A")).toBeGreaterThan(1000);
  await expect.poll(async () => (await stepOf(page, "A")) === (await stepOf(page, "B"))).toBe(true);
});

test("plays and pauses both sides together and reopens the comparison from a link", async ({
  page,
  context,
}) => {
  await openPair(page);
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: /^Pause/ })).toBeVisible();
  await expect.poll(() => stepOf(page, "B")).toBeGreaterThan(500);
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: /^Play both/ })).toBeVisible();
  await page.getByRole("button", { name: /^Synchronized by/ }).click();
  await page.getByRole("menuitemradio", { name: /^number of mm_page_alloc/ }).click();
  await expect(page).toHaveURL(/by=event\.mm_page_alloc/);
  const steps = async (of: Page) => [await stepOf(of, "A"), await stepOf(of, "B")];
  await playheadOf(page).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/by=event/);
  let last = "";
  await expect
    .poll(
      async () => {
        const before = last;
        last = page.url() + (await steps(page)).join();
        return last === before;
      },
      { intervals: [1500] },
    )
    .toBe(true);
  const there = await steps(page);
  const other = await context.newPage();
  await openPair(other, page.url());
  await expect.poll(() => steps(other)).toEqual(there);
});

test("says why a link or a choice does not open until the choice is corrected", async ({
  page,
}) => {
  await page.goto("./#/compare?a=broken&b=broken");
  const faults = page.getByRole("alert");
  await expect(faults).toHaveCount(2, { timeout: 60_000 });
  await expect(faults.first()).toContainText("Machine A did not open");
  await expect(paneOf(page, "B")).toContainText("Machine B did not open. Choose another");
  await page.getByRole("button", { name: /^Change A/ }).click();
  const dialog = page.getByRole("dialog", { name: "Choose machine A" });
  await dialog.getByLabel("Link to a moment of mmscope").fill("nothing of ours");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("not a link to a moment");
  await dialog.getByLabel("Ready-made experiment").selectOption("streaming-reader.teach");
  await dialog.getByLabel("Link to a moment of mmscope").fill("");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(paneOf(page, "A")).toHaveAttribute("aria-busy", "false");
  await expect(faults).toHaveCount(1);
  await expect(faults).toContainText("Machine B did not open");
});

test("the second machine opens once the invalid first machine is replaced", async ({ page }) => {
  await page.goto("./#/compare?a=broken");
  await expect(page.getByRole("alert")).toContainText("Machine A did not open", {
    timeout: 60_000,
  });
  await expect(paneOf(page, "B")).toContainText("opens once you have chosen machine A");
  await page.getByRole("button", { name: /^Change A/ }).click();
  const dialog = page.getByRole("dialog", { name: "Choose machine A" });
  await dialog.getByLabel("Ready-made experiment").selectOption("first-touch.teach");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(paneOf(page, "B")).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a link contains the ends of the range", async ({ page, context }) => {
  await openPair(page);
  await page.keyboard.press("d");
  await expect.poll(() => stepOf(page, "A")).toBeGreaterThan(0);
  await page.keyboard.press("i");
  await expect(page).toHaveURL(/from=\d+\.\d+/);
  await page.keyboard.press("End");
  await expect.poll(() => stepOf(page, "B")).toBeGreaterThan(1000);
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/from=\d+\.\d+&to=\d+\.\d+/);
  const range = tableOf(page).getByText("The growth of each counter from");
  const words = (await range.textContent()) ?? "";
  const other = await context.newPage();
  await openPair(other, page.url());
  await expect(tableOf(other).getByText("The growth of each counter from")).toHaveText(words, {
    timeout: 60_000,
  });
});
