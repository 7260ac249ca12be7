import { expect, type Page, test } from "@playwright/test";
import { choose, goToMoment, isFound } from "./journey";
import { linkOf, openElsewhere } from "./keep";
import { openFirst } from "./links";

const LIT = /\blit-select\b/;
/** A decision of shrink_inactive_list. */
const OF_ISOLATING = /TooManyIsolated|Isolated|BatchDone|NodeStall/;
const stackOf = (page: Page) => page.getByRole("region", { name: "Call stack" });
const tokenOf = (page: Page, name: RegExp) =>
  page.getByRole("region", { name: "Tasks" }).getByRole("button", { name });
const rowsOf = (page: Page) => page.getByRole("grid", { name: "Events" }).getByRole("row");

async function openLog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "All events" }).click();
  await isFound(page.getByRole("grid", { name: "Events" }));
}

test("a selected function is highlighted in the stack, code, breakpoints and event list, and with its tasks", async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  await page.keyboard.press("b");
  const name = "shrink_inactive_list";
  const inStack = stackOf(page).getByRole("button", { name, exact: true });
  await inStack.click();
  await expect(inStack).toHaveAttribute("aria-pressed", "true");
  const code = page.getByRole("region", { name: "Pseudo-code" });
  await expect(code.getByRole("button", { name, exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(tokenOf(page, /^hog\/1/)).toHaveClass(LIT);
  // Selecting a function selects no task: the tasks in it are only highlighted.
  await expect(tokenOf(page, /^hog\/1/)).toHaveAttribute("aria-pressed", "false");
  await expect(page.locator(".lane.task", { hasText: "hog/1" })).toHaveClass(LIT);
  await page.getByRole("button", { name: /^\d+ (more|unchanged) lanes?$/ }).click();
  await expect(page.locator(".lane.task", { hasText: "flush-sda" })).not.toHaveClass(LIT);
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  const stop = page
    .getByRole("region", { name: "Breakpoints" })
    .getByRole("listitem")
    .filter({ hasText: name });
  await expect(stop).toHaveClass(LIT);

  await page.getByRole("tab", { name: "This step" }).click();
  await openLog(page);
  const made = rowsOf(page).filter({ hasText: "mm_vmscan_lru_isolate" }).last();
  const other = rowsOf(page).filter({ hasText: "mm_page_alloc" });
  await expect(made).toHaveClass(/\bmade\b/);
  for (const row of await other.all()) await expect(row).not.toHaveClass(/\bmade\b/);

  const elsewhere = await openElsewhere(browser, await linkOf(page), page);
  await expect(stackOf(elsewhere).getByRole("button", { name, exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
    { timeout: 20_000 },
  );
  await elsewhere.context().close();

  await inStack.click();
  await expect(inStack).toHaveAttribute("aria-pressed", "false");
  // Pointing highlights as well.
  await page.mouse.move(5, 5);
  await expect(tokenOf(page, /^hog\/1/)).not.toHaveClass(LIT);
  await expect(made).not.toHaveClass(/\bmade\b/);
});

test("a selected function highlights its decisions in the log and beside the step", async ({
  page,
}) => {
  test.setTimeout(90_000);
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  await openLog(page);
  await page.getByRole("button", { name: "Decisions: None" }).click();
  await page.getByRole("menuitemradio", { name: /^Only/ }).click();
  await expect(page.getByRole("button", { name: "Decisions: Only" })).toBeVisible();
  await isFound(page.getByRole("grid", { name: "Events" }));
  const own = rowsOf(page).filter({ hasText: "Isolated" }).last();
  const others = rowsOf(page).filter({ hasText: "decision", hasNotText: OF_ISOLATING });
  await expect(own).toBeVisible();
  const why = page.getByRole("region", { name: "Why" }).locator(".sentence");
  await own.getByRole("button", { name: /^Go to step/ }).click();
  await expect(why).toContainText(/ isolated .* from the tail of the .* list \(/);
  await expect(own).not.toHaveClass(/\bmade\b/);
  await expect(why).not.toHaveClass(/\bmade\b/);

  const inStack = stackOf(page).getByRole("button", { name: "shrink_inactive_list", exact: true });
  await inStack.click();
  await expect(inStack).toHaveAttribute("aria-pressed", "true");
  await expect(own).toHaveClass(/\bmade\b/);
  await expect(why).toHaveClass(/\bmade\b/);
  await expect(others.first()).toBeVisible();
  for (const row of await others.all()) await expect(row).not.toHaveClass(/\bmade\b/);

  // Another function highlights its own decisions, and the first no longer does.
  await inStack.click();
  await stackOf(page).getByRole("button", { name: "shrink_lruvec", exact: true }).click();
  await expect(own).not.toHaveClass(/\bmade\b/);
  await expect(why).not.toHaveClass(/\bmade\b/);
  await page.mouse.move(5, 5);
  await inStack.hover();
  await expect(why).toHaveClass(/\bmade\b/);
});

test("a selected event highlights its task, zone and page in the log and beside the step", async ({
  page,
}) => {
  await openFirst(page);
  await openLog(page);
  const row = rowsOf(page).filter({ hasText: "mm_page_alloc" }).last();
  const step = (await row.getByRole("button", { name: /^Go to step/ }).textContent()) ?? "";
  const by = row.getByRole("button", { name: /^[a-z]+\/\d$/ });
  const task = (await by.textContent()) ?? "";
  const zone = row.getByRole("button", { name: /^\d\/(DMA|DMA32|Normal)$/ });
  const pfn = row.getByRole("button", { name: /^0x/ });
  const event = row.getByRole("button", { name: "mm_page_alloc", exact: true });
  await event.click();
  await expect(event).toHaveAttribute("aria-pressed", "true");
  for (const about of [by, zone, pfn]) {
    await expect(about).toHaveClass(LIT);
    await expect(about).toHaveAttribute("aria-pressed", "false");
  }
  const [node, type] = ((await zone.textContent()) ?? "").split("/");
  const zones = page.getByRole("button", { name: `${type} on node ${node}`, exact: true });
  await expect(zones.first()).toHaveClass(LIT);
  await expect(tokenOf(page, new RegExp(`^${task}`))).toHaveClass(LIT);

  // The same event in the text of its step.
  await row.getByRole("button", { name: /^Go to step/ }).click();
  await expect(page.getByTitle("Go to a step or time")).toContainText(step);
  const here = page.getByRole("region", { name: "Events in this step" });
  await expect(here.getByRole("button", { name: "mm_page_alloc", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("grid", { name: "Events" }).press("Escape");
  await expect(here).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(here.getByRole("button", { name: "mm_page_alloc", exact: true })).toHaveAttribute(
    "aria-pressed",
    "false",
  );
});

test("the mouse can press an entry of the legend that lies above the second node", async ({
  page,
}) => {
  await openFirst(page);
  const legend = page.getByRole("list", { name: "Page states" });
  const last = legend.getByRole("button").last();
  await last.click();
  await expect(last).toHaveAttribute("aria-pressed", "true");
});
