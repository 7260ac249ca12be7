// Explanations compared with the same facts elsewhere on the page: the log, the stage, the counters.

import { expect, type Page, test } from "@playwright/test";
import { brokenTexts } from "./broken-texts";
import {
  choose,
  clockOf,
  goToMoment,
  goToStep,
  isAt,
  isFound,
  numbersOf,
  pressOn,
  settled,
  stepOn,
  whyOf,
} from "./journey";
import { openFirst } from "./links";

test.setTimeout(90_000);

const explain = (page: Page) => page.getByRole("region", { name: "Explain" });
const life = (page: Page) =>
  explain(page).getByRole("list", { name: "What happened to this page frame" });

async function open(page: Page, part: "Page frame" | "Reclaim" | "Allocation") {
  await page.getByRole("tab", { name: "Explain" }).click();
  await explain(page).getByRole("button", { name: part, exact: true }).click();
}

/** Waits until the explanations describe the current step. */
const isExplained = (page: Page) => isFound(explain(page).locator(".look"));

/** A counter of the Values tab. */
async function counter(page: Page, name: string): Promise<number> {
  const table = page.getByRole("table", { name: "Counters" });
  await expect(table).toBeVisible();
  const row = table
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}\\b(?!_)`) }) });
  if ((await row.count()) === 0) return 0;
  return numbersOf(await row.first().getByRole("cell").first().textContent())[0] ?? 0;
}

/** The pages of a bar of the funnel; 0 if it has none. */
async function bar(page: Page, name: RegExp): Promise<number> {
  const row = explain(page)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name }) });
  if ((await row.count()) === 0) return 0;
  return numbersOf(await row.getByRole("cell").last().textContent())[0] ?? -1;
}

test("the life of a page frame equals the log of that frame and leads to its steps", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const start = await goToMoment(page, "hogSwapsOut");
  const name = page.getByRole("region", { name: "Why" }).getByRole("button", { name: /^0x/ });
  const pfn = (await name.textContent()) ?? "";
  await name.click();
  await open(page, "Page frame");
  await expect(explain(page).getByRole("status")).toContainText("From boot to now: allocated");
  const items = life(page).getByRole("listitem");
  await expect(items.last()).toHaveAttribute("aria-current", "step");
  await expect(items.last()).toContainText((await whyOf(page).textContent()) ?? "none");
  await expect(items.last()).toBeInViewport();

  // The log counts the same events with its own filter.
  const events = await life(page).locator(".happened").count();
  expect(events).toBeGreaterThan(1);
  await page.keyboard.press("e");
  const log = page.getByRole("region", { name: "Event log" });
  await log.getByRole("textbox", { name: /^Page frame/ }).fill(pfn);
  await page.keyboard.press("Enter");
  await expect(log.getByRole("status").filter({ hasText: "from the start" })).toContainText(
    new RegExp(`^${events} events? `),
  );
  await log.getByRole("button", { name: "Close the event log" }).click();
  await expect(log).toBeHidden();

  // After a step back, later events are not listed.
  const count = await items.count();
  const first = items.first().getByRole("button", { name: /^Go to step/ });
  const step = numbersOf(await first.textContent())[0] ?? 0;
  expect(step).toBeLessThan(start);
  await first.click();
  await isAt(page, step);
  await expect(items).toHaveCount(1);
  await expect(items.last()).toHaveAttribute("aria-current", "step");
  await goToStep(page, start);
  await expect(items).toHaveCount(count);
});

test("the keyboard moves through the life of a page frame", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogSwapsOut");
  await page
    .getByRole("region", { name: "Why" })
    .getByRole("button", { name: /^0x/ })
    .press("Enter");
  await page.getByRole("tab", { name: "This step" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Explain" })).toBeFocused();
  await expect(explain(page).getByRole("status")).toContainText("From boot to now");
  await expect(life(page).getByRole("listitem").last()).toHaveAttribute("aria-current", "step");
  await life(page).focus();
  const focused = page.locator(":focus");
  await page.keyboard.press("ArrowUp");
  await expect(focused).toHaveAccessibleName(/^Go to step/);
  const last = (await focused.textContent()) ?? "";
  await page.keyboard.press("ArrowUp");
  await expect(focused).not.toHaveText(last);
  await expect(focused).toHaveAccessibleName(/^Go to step/);
  const step = (await focused.textContent()) ?? "";
  await page.keyboard.press("ArrowRight");
  await expect(focused).not.toHaveAccessibleName(/^Go to step/);
  await page.keyboard.press("ArrowLeft");
  await expect(focused).toHaveText(step);
  await page.keyboard.press("Enter");
  await expect(clockOf(page)).toContainText(`${step} `);
  await expect(life(page).getByRole("listitem").last()).toContainText(step);
});

test("the funnel of a batch equals the batch on the stage, and its parts add up", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set, teaching size/);
  await goToMoment(page, "readersKswapdFrees");
  await open(page, "Reclaim");
  const batch = page
    .locator(".batch")
    .filter({ has: page.getByRole("button", { name: /^kswapd/ }) })
    .filter({ hasText: /isolated \d+ inactive file/ });
  const stage = (await batch.first().textContent()) ?? "";
  const numberIn = (words: RegExp) => Number(words.exec(stage)?.[1] ?? 0);
  await expect(explain(page).getByText(/^kswapd0, for its node/)).toBeVisible();
  await isExplained(page);
  const taken = await bar(page, /^isolated/);
  expect(taken).toBe(numberIn(/isolated (\d+)/));
  expect(await bar(page, /^freed(?! in)/)).toBe(numberIn(/(\d+) freed/));
  expect(await bar(page, /^scanned/)).toBe(taken + (await bar(page, /^skipped/)));
  const check = numbersOf(
    await explain(page)
      .getByText(/isolated =/)
      .textContent(),
  );
  expect(check[0]).toBe(taken);
  expect(check.slice(1).reduce((a, b) => a + b, 0)).toBe(taken);

  // Its first step shows the same batch before any decision.
  await explain(page)
    .getByRole("button", { name: /^Go to step/ })
    .first()
    .click();
  await expect
    .poll(() => bar(page, /^not decided yet/), { message: "the batch as it was taken" })
    .toBe(taken);
});

test("the funnel of the run so far adds up to the counters of the Values tab", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 20_000 });
  await open(page, "Reclaim");
  await explain(page).getByRole("button", { name: "The run so far" }).click();
  const line = (what: string) => explain(page).getByText(new RegExp(`^[\\d,]+ ${what} here`));
  await expect(line("scanned")).toContainText("the same as in /proc/vmstat");
  await expect(line("freed")).toContainText("the same as in /proc/vmstat");
  await isExplained(page);
  const scanned = await bar(page, /^scanned/);
  const freed = await bar(page, /^freed in total/);
  const taken = await bar(page, /^isolated/);
  expect(freed + (await bar(page, /^put back in total/))).toBe(taken);
  await page.getByRole("tab", { name: "Values" }).click();
  const sum = async (name: string) =>
    (await counter(page, `${name}_kswapd`)) + (await counter(page, `${name}_direct`));
  expect(scanned).toBeGreaterThan(1000);
  expect(scanned).toBe(await sum("pgscan"));
  expect(freed).toBe(await sum("pgsteal"));
});

test("the plan of an allocation has the numbers of the zone", async ({ page }) => {
  await openFirst(page);
  const why = (await whyOf(page).textContent()) ?? "";
  const [, zone = "", free = ""] = /^(\w+ on node \d) has ([\d,]+) free/.exec(why) ?? [];
  await open(page, "Allocation");
  const stops = explain(page)
    .getByRole("listitem")
    .filter({
      has: page.getByRole("heading", { level: 4 }),
    });
  const last = stops.last();
  await expect(last.getByRole("heading", { level: 4 })).toContainText(zone);
  await isExplained(page);
  const test = last.getByRole("table", { name: "Watermark check at low" });
  const term = async (words: RegExp) =>
    numbersOf(await test.getByRole("cell", { name: words }).textContent())[0] ?? -1;
  expect(await term(/free pages$/)).toBe(numbersOf(free)[0]);
  const tank = (await page
    .getByRole("img", { name: new RegExp(`^Zone ${zone}: `) })
    .first()
    .getAttribute("aria-label")) as string;
  expect(tank).toContain(`: ${free} of `);
  expect(tank).toMatch(new RegExp(`\\blow ${await term(/low watermark$/)}\\b`));
  expect(await term(/(?<!not )counted$/)).toBe(
    (await term(/free pages$/)) - (await term(/not counted$/)),
  );
  expect(await term(/needed$/)).toBe((await term(/low watermark$/)) + (await term(/reserve$/)));
  expect(await term(/(?<!not )counted$/)).toBeLessThanOrEqual(await term(/needed$/));
  await expect(last).toContainText("not above");

  // The plan ends with its result: the zone that returned the page.
  const asks = explain(page).getByText(/requests order/);
  await expect(asks).toContainText("has no page yet");
  for (let i = 0; i < 60 && (await asks.isVisible()); i += 1) {
    await pressOn(page, "ArrowUp");
    await isExplained(page);
  }
  const outcome = explain(page).getByText(/was allocated at/);
  await expect(outcome).toBeVisible();
  const took = await stops.last().getByRole("heading", { level: 4 }).textContent();
  expect(took).toContain(/of (\w+ on node \d)/.exec((await outcome.textContent()) ?? "")?.[1]);
});

test("a decision shows the branch it took and the other branch", async ({ page }) => {
  await openFirst(page);
  const why = page.getByRole("region", { name: "Why" });
  await expect(whyOf(page)).toContainText("the check fails.");
  await why.getByRole("button", { name: "Branches" }).click();
  await expect(why.getByText("Taken: the check fails. Not taken: the check passes.")).toBeVisible();
  await why.getByRole("button", { name: "Branches" }).click();
  await expect(why.getByText(/^Taken:/)).toBeHidden();
});

test("explains the slow path with the pages it reclaimed", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  await open(page, "Allocation");
  const parts = explain(page).getByRole("list", { name: "How the allocation went" });
  await expect(parts.getByRole("heading", { name: /^First walk, low watermark/ })).toBeVisible();
  await expect(parts.getByRole("heading", { name: /^Slow path, min watermark/ })).toBeVisible();
  const reclaim = parts.getByText(/^Direct reclaim began/);
  await expect(reclaim).toContainText("so far");
  await isExplained(page);
  const [, , scanned = 0] = numbersOf(await reclaim.textContent());
  await page.getByRole("tab", { name: "Values" }).click();
  // The first direct reclaim of the run: all pages scanned directly were scanned for this request.
  expect(await counter(page, "allocstall")).toBe(1);
  expect(scanned).toBe(await counter(page, "pgscan_direct"));
});

test("no text of an explanation overlaps another or is cut off", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^Streaming mapped writer, teaching size/);
  await goToMoment(page, "zoneKeptOut");
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const part of ["Page frame", "Reclaim", "Allocation"] as const) {
      await open(page, part);
      await expect(explain(page).getByRole("button", { name: part })).toHaveAttribute(
        "aria-pressed",
        "true",
      );
      if (part !== "Page frame") await isExplained(page);
      await expect.poll(() => brokenTexts(page, ".explain"), { message: part }).toEqual([]);
    }
    // A skipped zone is described completely, above the next one.
    const passed = explain(page)
      .getByRole("listitem")
      .filter({ hasText: "skipped without a check" });
    const box = async (nth: number) => await passed.nth(nth).boundingBox();
    expect(await passed.count()).toBeGreaterThan(0);
    const [inner, panel] = [await box(0), await explain(page).boundingBox()];
    expect((inner?.x ?? 0) + (inner?.width ?? 1e9)).toBeLessThanOrEqual(
      (panel?.x ?? 0) + (panel?.width ?? 0),
    );
  }
});

test("a long search shows its progress and can be stopped and continued", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set(?!,)/);
  const far = 20_000_000;
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(`#${far}`);
  await page.keyboard.press("Enter");
  const there = `#${far.toLocaleString("en-GB")} `;
  await expect(clockOf(page)).toContainText(there, { timeout: 60_000 });
  await expect(page.getByRole("progressbar")).toBeHidden({ timeout: 60_000 });
  await open(page, "Reclaim");
  await explain(page).getByRole("button", { name: "The run so far" }).click();
  await explain(page).getByRole("button", { name: "Add up" }).click();
  await expect(explain(page).getByText(/^Searching: at #/)).toBeVisible();
  await explain(page).getByRole("button", { name: "Stop" }).click();
  await expect(explain(page).getByText(/^Searching: at #/)).toBeHidden();
  await explain(page).getByRole("button", { name: "Continue" }).click();
  await expect(explain(page).getByText(/^Searching: at #/)).toBeVisible();
  await page.getByRole("tab", { name: "This step" }).click();
});

test("stepping with an open explanation shifts no layout", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  for (const part of ["Reclaim", "Allocation"] as const) {
    await open(page, part);
    await expect(
      explain(page)
        .getByRole("button", { name: /^Go to step/ })
        .first(),
    ).toBeVisible();
    await isExplained(page);
    const code = page.getByRole("region", { name: "Pseudo-code" });
    const boxes = async () => [await explain(page).boundingBox(), await code.boundingBox()];
    const before = await settled(boxes);
    await stepOn(page, 10);
    await isExplained(page);
    expect(await boxes()).toEqual(before);
  }
});
