import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { choose, goToMoment, goToStep, isAt, isFound, numbersOf } from "./journey";
import { leave } from "./keep";
import { openFirst } from "./links";
import { sideways, smallTexts } from "./measurements";
import { stepOf } from "./moments.mjs";

/** An engine runs, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const io = (page: Page) => page.getByRole("region", { name: "Reclaim and devices" });
const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" });
const FS_MARK = /^FS-Mark.*teaching size/;

test("shows the cost per page with the counters from which it is computed", async ({ page }) => {
  await openFirst(page);
  await choose(page, FS_MARK);
  await expect(io(page)).not.toContainText("Cost per page allocated");
  await goToMoment(page, "zoneReclaimed");
  await expect(io(page)).toContainText(/scanned .*[\d.]+ in zone_reclaim/);
  await expect(io(page)).toContainText(/stalled .* in zone_reclaim/);
  await io(page).getByLabel("Counting rules").click();
  await expect(io(page)).toContainText(/Average over [\d,]+ pages allocated since boot/);

  // The same values, computed from the counters.
  const text = await io(page).innerText();
  const each = Number(/scanned .*?([\d.]+) in zone_reclaim/.exec(text)?.[1]);
  const [pages = 1] = numbersOf(/Average over ([\d,]+) pages/.exec(text)?.[1] ?? null);
  await page.getByRole("tab", { name: "Values" }).click();
  await page.getByRole("searchbox", { name: "Find a counter" }).fill("scan_zone_reclaim");
  const row = page
    .getByRole("table", { name: "Counters" })
    .getByRole("row")
    .filter({ hasText: "scan_zone_reclaim" });
  await expect(row.first()).toBeVisible();
  const scanned = numbersOf(await row.first().getByRole("cell").first().textContent())[0] ?? 0;
  expect(each / (scanned / pages)).toBeCloseTo(1, 1);
});

test("marks the first page from another node and links to its step", async ({ page }) => {
  const step = stepOf("otherNodeFirst");
  await openFirst(page);
  await choose(page, FS_MARK);
  await goToStep(page, step - 1);
  const mark = timeline(page).getByRole("button", {
    name: /^First fallback from node 0 to node 1/,
  });
  // The walk has chosen a zone of node 1; this step counts the origin of the page.
  await expect(page.getByText(/serves it, fallback from node 0 to 1/)).toBeVisible();
  await expect(mark).toBeHidden();
  await goToStep(page, step);
  await expect(mark).toBeVisible();

  // At a later step, a button leads back to the mark. At an earlier step, the mark is still known.
  await goToStep(page, step + 3000);
  await io(page)
    .getByRole("button", { name: "Go to the first fallback from node 0 to node 1" })
    .click();
  await isAt(page, step);
  await goToStep(page, step - 500);
  await expect(mark).toBeVisible();
  await mark.focus();
  await page.keyboard.press("Enter");
  await isAt(page, step);
});

test("arrows show that kswapd scans zones upwards and the allocator downwards", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set, teaching size/);
  const arrows = page.getByRole("img", { name: /goes from/ });
  await expect(arrows).toHaveCount(0);
  await goToMoment(page, "kswapdAgainstAllocator");
  await expect(arrows.first()).toHaveAccessibleName(
    /^The allocator goes from Normal down to DMA.*; kswapd0 goes from DMA up to Normal, now at /,
  );
});

test("counts, marks and draws the pages that were read again", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^Tiobench.*teaching size/i);
  await goToMoment(page, "readAgain");
  await expect(io(page)).toContainText(/Read again\s*[\d,]+ file pages/);
  await expect(page.locator(".overlay .reread[d^=M]").first()).toBeAttached();
  await io(page).getByRole("button", { name: "Show over time" }).click();
  await expect(timeline(page).locator(".lane.track", { hasText: "reread" })).toBeVisible();
  await expect(io(page).getByRole("button", { name: "Show over time" })).toBeHidden();
});

test("the ages of freed pages add up in every zone", async ({ page }) => {
  await openFirst(page);
  await choose(page, FS_MARK);
  await goToMoment(page, "zoneReclaimed");
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible();
  await page.getByRole("tab", { name: "Explain" }).click();
  const explain = page.getByRole("region", { name: "Explain" });
  await explain.getByRole("button", { name: "Reclaim", exact: true }).click();
  await explain.getByRole("button", { name: "Ages", exact: true }).click();
  const tables = explain.getByRole("table", { name: /\d freed, median age/ });
  await expect(tables.first()).toBeVisible({ timeout: 60_000 });
  await isFound(explain.locator(".look"));
  for (const table of await tables.all()) {
    const caption = await table.locator("caption").innerText();
    const [freed] = numbersOf(/([\d,]+) freed/.exec(caption)?.[1] ?? null);
    const classes = await table.locator("td.num").allInnerTexts();
    const pages = classes.map((text) => numbersOf(text)[0] ?? 0);
    expect(pages.reduce((sum, n) => sum + n, 0)).toBe(freed);
  }
});

test("a range shows the cost of its pages", async ({ page }) => {
  await openFirst(page);
  await choose(page, FS_MARK);
  await page.keyboard.press("i");
  await goToMoment(page, "zoneReclaimed");
  await page.keyboard.press("o");
  await timeline(page).getByRole("button", { name: "Totals" }).click();
  const dialog = page.getByRole("dialog", { name: "Totals in the range" });
  await expect(dialog.getByRole("row", { name: /^scanned by zone_reclaim/ })).toBeVisible();
  await leave(page);
});

test("axe finds no violation in the costs in either theme", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openFirst(page);
  await choose(page, FS_MARK);
  await goToMoment(page, "zoneReclaimed");
  await io(page).getByLabel("Counting rules").click();
  await expect(io(page)).toContainText("pages allocated since boot");
  await axeFindsNothing(page);
  expect(await sideways(page)).toBe(0);
  expect(await smallTexts(page)).toEqual([]);
});
