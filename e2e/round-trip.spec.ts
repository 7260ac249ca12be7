// Every part of the page that a link stores: each is set by hand, copied, opened in an empty browser, and
// checked there.

import { expect, type Page, test } from "@playwright/test";
import { choose, goToMoment, isAt, isFound } from "./journey";
import { linkOf, openElsewhere } from "./keep";
import { cursorOf, documentOf, openFirst, pack } from "./links";

// Each test opens the page several times.
test.describe.configure({ timeout: 90_000 });

interface Trip {
  readonly what: string;
  /** Sets this part by hand. */
  readonly set: (page: Page) => Promise<unknown>;
  /** Fails if the page does not show this part in time. */
  readonly see: (page: Page, within?: { readonly timeout: number }) => Promise<unknown>;
}

const tab = (page: Page, name: RegExp) => page.getByRole("tab", { name });
const lists = (page: Page) => page.getByRole("button", { name: "LRU lists of DMA32 on node 0" });
const fold = (page: Page) => page.getByRole("button", { name: "Timeline" });
const task = (page: Page) =>
  page.getByRole("region", { name: "Tasks" }).getByRole("button", { name: /^touch\/1/ });
const zone = (page: Page) => page.getByRole("button", { name: "DMA32 on node 0", exact: true });

const TRIPS: readonly Trip[] = [
  {
    what: "the selected zone",
    set: (page) => zone(page).click(),
    see: (page, within) => expect(zone(page)).toHaveAttribute("aria-pressed", "true", within),
  },
  {
    what: "the followed task",
    set: async (page) => {
      await task(page).click();
      await expect(page.getByRole("region", { name: "Call stack" })).toContainText("touch/1");
    },
    see: (page, within) =>
      expect(page.getByRole("region", { name: "Call stack" })).toContainText("touch/1", within),
  },
  {
    what: "a zone's lists",
    set: (page) => lists(page).click(),
    see: (page, within) => expect(lists(page)).toHaveAttribute("aria-pressed", "true", within),
  },
  {
    what: "free lists in place of LRU lists",
    set: (page) => page.getByRole("button", { name: "Free lists" }).first().click(),
    see: (page, within) =>
      expect(page.getByRole("table", { name: /^Free blocks/ }).first()).toBeVisible(within),
  },
  {
    what: "the tab of the debugger",
    set: (page) => tab(page, /^Values/).click(),
    see: (page, within) =>
      expect(tab(page, /^Values/)).toHaveAttribute("aria-selected", "true", within),
  },
  {
    what: "a folded timeline",
    set: async (page) => {
      await fold(page).click();
      await expect(fold(page)).toHaveAttribute("aria-expanded", "false");
    },
    see: (page, within) => expect(fold(page)).toHaveAttribute("aria-expanded", "false", within),
  },
  {
    what: "a breakpoint",
    set: async (page) => {
      await page.keyboard.press("b");
      await tab(page, /^Breakpoints/).click();
      await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
    },
    see: (page, within) =>
      expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1, within),
  },
];

/** Parts that go into one link together; the others exclude each other. */
const TOGETHER = [
  ["the selected zone", "the followed task", "a zone's lists", "a folded timeline"],
  ["free lists in place of LRU lists", "a breakpoint"],
  ["the tab of the debugger"],
] as const;

test("every part of a link is tested", () => {
  expect(TOGETHER.flat().toSorted()).toEqual(TRIPS.map(({ what }) => what).toSorted());
});

for (const together of TOGETHER) {
  test(`a link stores ${together.join(", ")}`, async ({ page, browser }) => {
    const trips = TRIPS.filter(({ what }) => (together as readonly string[]).includes(what));
    await openFirst(page);
    const { step } = await cursorOf(page);
    // None of them is the default.
    const fresh = await openElsewhere(browser, await linkOf(page), page);
    const alreadyThere = trips.map(({ see, what }) =>
      expect(see(fresh, { timeout: 2_000 }), what).rejects.toThrow(),
    );
    await Promise.all(alreadyThere);
    await fresh.context().close();
    for (const { set } of trips) await set(page);
    const elsewhere = await openElsewhere(browser, await linkOf(page), page);
    for (const { see } of trips) await see(elsewhere);
    expect((await cursorOf(elsewhere)).step).toBe(step);
    await elsewhere.context().close();
  });
}

test("a link stores the open log with its search and filters", async ({ page, browser }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await goToMoment(page, "hogReclaims");
  await page.getByRole("button", { name: "All events" }).click();
  const log = (of: Page) => of.getByRole("region", { name: "Event log" });
  const state = (of: Page) => log(of).getByRole("status").filter({ hasText: /event/ });
  const set = async (chip: string, item: RegExp) => {
    await log(page)
      .getByRole("button", { name: `${chip}: All` })
      .click();
    await page.getByRole("menuitemradio", { name: item }).click();
  };
  await set("Task", /^kswapd1/);
  await set("Event", /^Reclaim$/);
  await set("Zone", /^1\/Normal/);
  const field = log(page).getByRole("textbox", { name: "Page frame or range of page frames" });
  await field.fill("0x100800-0x100bff");
  await field.press("Enter");
  await log(page).getByRole("searchbox").fill("isolate");
  await expect(state(page)).toContainText(/ events? from the start to /);
  await isFound(log(page).getByRole("grid", { name: "Events" }));
  const found = (await state(page).textContent()) ?? "";
  // Letters go to the search field.
  await log(page).getByRole("grid", { name: "Events" }).focus();

  const elsewhere = await openElsewhere(browser, await linkOf(page), page);
  await expect(log(elsewhere).getByRole("searchbox")).toHaveValue("isolate");
  for (const chip of [/^Task: kswapd1/, /^Event: Reclaim$/, /^Zone: 1\/Normal$/]) {
    await expect(log(elsewhere).getByRole("button", { name: chip })).toBeVisible();
  }
  await expect(
    log(elsewhere).getByRole("textbox", { name: "Page frame or range of page frames" }),
  ).toHaveValue("0x100800-0x100bff");
  await expect(state(elsewhere)).toHaveText(found);
  await log(elsewhere).getByRole("button", { name: "Show all" }).click();
  await expect(log(elsewhere).getByRole("button", { name: "Task: All" })).toBeVisible();
  await expect(log(elsewhere).getByRole("searchbox")).toHaveValue("");
  await elsewhere.context().close();
});

test("a link keeps bookmarks, tracks, a range and a zoom after a step", async ({
  page,
  browser,
}) => {
  const carried = {
    bookmarks: [{ step: 100, time_ns: 900, note: "here" }],
    view: {
      tracks: ["pgfault"],
      range: [100_000, 200_000],
      window: [0, 300_000],
      zoom: { 0: { level: "zone", pfn: 4096 } },
    },
  };
  await openFirst(page);
  await page.goto("about:blank");
  await openFirstMoment(page, carried);
  await page.keyboard.press("ArrowRight");
  await isAt(page, 1);
  const { step } = await cursorOf(page);
  const link = await linkOf(page);
  expect(documentOf(link)).toMatchObject(carried);
  const elsewhere = await openElsewhere(browser, link, page);
  expect((await cursorOf(elsewhere)).step).toBe(step);
  expect(documentOf(await linkOf(elsewhere))).toMatchObject(carried);
  await elsewhere.context().close();
});

/** Opens the first scenario with more parts in its link. */
async function openFirstMoment(page: Page, more: object): Promise<void> {
  const x = pack(JSON.stringify({ v: 3, preset: "first-touch.teach", ...more }));
  await page.goto(`./#/workbench?x=${x}`);
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run", {
    timeout: 20_000,
  });
}
