import { expect, type Page, test } from "@playwright/test";
import { choose, clockOf, goToStep, isAt, numbersOf, whyOf } from "./journey";
import { cursorOf, openFirst } from "./links";

const stops = (page: Page) => page.getByRole("region", { name: "Breakpoints" });

async function add(page: Page, what: string, fill: (form: ReturnType<typeof stops>) => unknown) {
  await page.getByRole("tab", { name: "Breakpoints" }).click();
  // The form is already open if there is no breakpoint yet.
  await stops(page).getByRole("combobox", { name: "Stop when" }).selectOption(what);
  await fill(stops(page));
  await stops(page).getByRole("button", { name: "Add", exact: true }).click();
}

const freeOf = async (page: Page) => {
  const label = await page.getByRole("img", { name: /^Zone Normal on node 0/ }).ariaSnapshot();
  return label;
};

test("stops where a zone crosses its watermark: forward, backward and during playback", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await add(page, "a zone crosses a watermark", async (form) => {
    await form.getByRole("combobox", { name: "Zone" }).selectOption("Normal on node 0");
    await form.getByRole("combobox", { name: "Watermark" }).selectOption("low");
  });
  await expect(
    stops(page).getByRole("checkbox", { name: /crosses its low watermark/ }),
  ).toBeChecked();
  await page.keyboard.press("Home");
  await isAt(page, 0);

  const next = stops(page).getByRole("button", { name: "Next hit" });
  const previous = stops(page).getByRole("button", { name: "Previous hit" });
  await next.click();
  await expect(stops(page).getByText("here")).toBeVisible();
  const first = await cursorOf(page);
  expect(first.step).toBeGreaterThan(0);
  // Independent check: the zone is below the watermark here and was not a few steps earlier. The search stops
  // where zone->lock is released, which is after the count has changed.
  const isBelow = async () => {
    const [, free = "", low = ""] = /: ([\d,]+) of .*low ([\d,]+)/.exec(await freeOf(page)) ?? [];
    return Number(free) < Number(low);
  };
  expect(await isBelow()).toBe(true);
  await page.keyboard.press("ArrowLeft");
  await isAt(page, first.step - 1);
  await expect(stops(page).getByText("here")).toBeHidden();
  for (let back = 2; back <= 8 && (await isBelow()); back += 1) {
    await page.keyboard.press("ArrowLeft");
    await isAt(page, first.step - back);
  }
  expect(await isBelow()).toBe(false);

  await goToStep(page, first.step);
  await next.click();
  await expect(clockOf(page)).not.toContainText(`#${first.step.toLocaleString("en-GB")} `);
  expect((await cursorOf(page)).step).toBeGreaterThan(first.step);
  await previous.click();
  await isAt(page, first.step);
  expect((await cursorOf(page)).hash).toBe(first.hash);
  await previous.click();
  await expect(page.locator(".notice")).toContainText("No breakpoint was hit before this moment.");
  expect((await cursorOf(page)).step).toBe(first.step);

  await goToStep(page, first.step - 20);
  await page.getByRole("button", { name: /^Play/ }).click();
  await expect(stops(page).getByText("here")).toBeVisible({ timeout: 20_000 });
  expect((await cursorOf(page)).step).toBe(first.step);
});

test("a condition skips the hits that do not satisfy it", async ({ page }) => {
  await openFirst(page);
  await add(page, "an event happens", async (form) => {
    await form.getByRole("combobox", { name: "Event" }).selectOption("split");
    await form.getByRole("textbox", { name: "Field" }).fill("order");
    await form.getByRole("combobox", { name: "Comparison" }).selectOption("≥");
    await form.getByRole("textbox", { name: "Value to compare with" }).fill("8");
  });
  await expect(stops(page).getByRole("checkbox")).toBeChecked();
  await page.keyboard.press("Home");
  await isAt(page, 0);
  await page.keyboard.press(".");
  await expect(stops(page).getByText("here")).toBeVisible();
  await page.getByRole("tab", { name: "This step" }).click();
  const events = page.getByRole("region", { name: "Events in this step" });
  const split = events.getByRole("listitem").filter({ hasText: "split" }).first();
  await expect(split).toContainText(/order=(8|9|10)/);
});

test("sets breakpoints on lines by keyboard, restores them after a reload, and removes them", async ({
  page,
}) => {
  await openFirst(page);
  await page.keyboard.press("b");
  const tab = page.getByRole("tab", { name: "Breakpoints" });
  await expect(tab).toContainText("1");
  const here = await cursorOf(page);
  await expect(page.locator(".code [aria-pressed=true]")).toHaveCount(1);
  await page.keyboard.press(".");
  await expect(clockOf(page)).not.toContainText(`#${here.step.toLocaleString("en-GB")} `);
  expect((await cursorOf(page)).step).toBeGreaterThan(here.step);
  await page.keyboard.press(",");
  await isAt(page, here.step);
  await cursorOf(page);
  await page.reload();
  await expect(tab).toContainText("1", { timeout: 20_000 });
  await tab.click();
  const only = stops(page).getByRole("checkbox");
  await only.uncheck();
  await expect(stops(page).getByRole("button", { name: "Next hit" })).toBeDisabled();
  await only.check();
  await stops(page)
    .getByRole("button", { name: /^Remove: / })
    .click();
  await expect(stops(page).getByText("No breakpoints yet.")).toBeVisible();
});

test("refuses an invalid breakpoint with the reason", async ({ page }) => {
  await openFirst(page);
  await add(page, "a page frame changes", (form) =>
    form.getByRole("textbox", { name: "Page frame" }).fill("0xfffffff"),
  );
  await expect(stops(page).getByRole("status")).toContainText("no such page frame");
  await expect(stops(page).getByRole("checkbox")).toHaveCount(0);
});

test("a value leads to the step that last changed it, then to the previous change", async ({
  page,
}) => {
  await openFirst(page);
  await page.getByRole("tab", { name: "Values" }).click();
  const values = page.getByRole("region", { name: "Values" });
  await values.getByRole("searchbox", { name: "Find a counter" }).fill("pgfault");
  const row = values.getByRole("row", { name: /^pgfault/ });
  const countOf = async () => numbersOf(await row.getByRole("cell").first().textContent())[0] ?? 0;
  const now = await countOf();
  const begun = await cursorOf(page);
  await row.getByRole("button", { name: "Last change of pgfault" }).click();
  await expect(clockOf(page)).not.toContainText(`#${begun.step.toLocaleString("en-GB")} `);
  const changed = await cursorOf(page);
  expect(changed.step).toBeLessThan(begun.step);
  expect(await countOf()).toBe(now);
  // Independent check: one step earlier, the value was one less.
  await page.keyboard.press("ArrowLeft");
  await isAt(page, changed.step - 1);
  expect(await countOf()).toBe(now - 1);
  await goToStep(page, changed.step);
  await expect(whyOf(page)).not.toBeEmpty();
  await row.getByRole("button", { name: "Last change of pgfault" }).click();
  await expect.poll(countOf).toBe(now - 1);
});
