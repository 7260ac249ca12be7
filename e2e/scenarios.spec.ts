// The three scenarios of reclaim, each from the menu to its main moments. A run of the same engine
// without a page finds a moment; the page must show the expected text there.

import { expect, type Page, test } from "@playwright/test";
import { choose, goToMoment, goToStep, numbersOf, undoAndRedo, whyOf } from "./journey";
import { openFirst } from "./links";

test.setTimeout(90_000);

const label = (page: Page, name: RegExp) =>
  page.getByRole("img", { name }).first().getAttribute("aria-label");
const tank = (page: Page, zone: string) => label(page, new RegExp(`^Zone ${zone}: `));
const tasks = (page: Page) => page.getByRole("region", { name: "Tasks" });
const lists = (page: Page, owner: string) =>
  page.getByRole("region", { name: `LRU lists of ${owner}` });

/** "Normal on node 0 has 18 free pages; the watermark check counts 16, which is not above low (16): ..." */
const WOKEN =
  /^(\w+ on node (\d)) has ([\d,]+) free pages?; the watermark check counts ([\d,]+), which is not above (\w+) \(([\d,]+)\): kswapd of the node is woken/;

/** The sentence has the tank's numbers, its inequality holds, and a step back reverts the wake-up. */
async function readWake(page: Page, step: number): Promise<void> {
  const woken = WOKEN.exec((await whyOf(page).textContent()) ?? "");
  if (!woken) throw new Error(`not a wake-up: ${await whyOf(page).textContent()}`);
  const [, zone = "", node = "", free = "", counted = "", mark = "", against = ""] = woken;
  const [value = 0, limit = 0] = numbersOf(`${counted} ${against}`);
  expect(value).toBeLessThanOrEqual(limit);
  const failed = page.getByRole("list", { name: "Zones that failed the watermark check" });
  const own = failed.getByRole("listitem").filter({ hasText: zone });
  await expect(own).toContainText(`${free} free`);
  await expect(own).toContainText(`${mark} ${against}`);
  const shown = await tank(page, zone);
  expect(shown).toContain(`: ${free} of `);
  expect(shown).toMatch(new RegExp(`\\b${mark} ${against}\\b`));
  const kswapd = page.getByText(new RegExp(`^kswapd${node} (awake|asleep|napping|waits)$`));
  // It may have been in a short sleep, which precedes the full sleep.
  await expect(kswapd).toHaveText(new RegExp(`^kswapd${node} (awake|napping)$`));
  await undoAndRedo(page, step, async () => `${await page.getByText("never woken").count()}`);
}

test("a hog: kswapd is woken, a task reclaims directly, pages go to swap", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  // At boot, both check once whether there is work; no task has woken them.
  await expect(page.getByText("since boot", { exact: true })).toHaveCount(2);
  await readWake(page, await goToMoment(page, "hogWakesKswapd"));

  // Direct reclaim: the hog itself isolates pages, and its token shows the scan priority.
  const reclaims = await goToMoment(page, "hogReclaims");
  const hog = tasks(page).getByRole("button", { name: /^hog\/1/ });
  await expect(hog).toContainText(/reclaims 1\/[\d,]+ in /);
  await expect(
    hog.getByRole("img", { name: /^scan priority \d+, from 12 down to 0$/ }),
  ).toHaveCount(1);
  const held = numbersOf(await whyOf(page).textContent());
  expect(held[0]).toBeLessThanOrEqual(held[1] ?? 0);
  const took = page
    .locator(".batch")
    .filter({ has: page.getByRole("button", { name: "hog/1" }) })
    .filter({ hasText: `isolated ${held[0]} inactive anon` });
  await expect(took).toHaveCount(1);
  await undoAndRedo(page, reclaims, async () => `${await took.count()}`);

  // Swap out: one more slot is in use, and a step back frees it.
  const swaps = await goToMoment(page, "hogSwapsOut");
  const slot = /gets swap slot ([\d,]+)\.$/.exec((await whyOf(page).textContent()) ?? "");
  expect(slot).not.toBeNull();
  const used = () => label(page, /swap slots used$/);
  expect(numbersOf(await used())[0]).toBe(Number(slot?.[1]?.replaceAll(",", "")));
  await undoAndRedo(page, swaps, used);

  // Later the device writes the pages given to swap, and the tanks show pages under writeback.
  await goToMoment(page, "hogSwaps");
  expect(numbersOf(await label(page, /^sda: /))[0]).toBeGreaterThan(0);
  expect(numbersOf(await label(page, /dirty and .* under writeback/))[1]).toBeGreaterThan(0);
  await expect(lists(page, "node 0").locator(".batch")).toContainText("writing");
});

test("a reader: kswapd is woken at the low watermark and frees clean pages of a zone's lists", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A streaming reader beside a working set, teaching size/);
  await readWake(page, await goToMoment(page, "readerWakesKswapd"));

  const frees = await goToMoment(page, "readersKswapdFrees");
  const pfn = /page at (0x[0-9a-f]+) is clean/.exec((await whyOf(page).textContent()) ?? "")?.[1];
  expect(pfn).toBeTruthy();
  const batch = page.locator(".batch").filter({ hasText: /isolated \d+ inactive file/ });
  const freed = async () => /(\d+) freed/.exec((await batch.textContent()) ?? "")?.[1] ?? "0";
  expect(Number(await freed())).toBeGreaterThan(0);
  await undoAndRedo(page, frees, freed);
  // This kernel has LRU lists for each zone.
  for (const zone of ["DMA", "DMA32", "Normal"]) {
    await page.getByRole("button", { name: `LRU lists of ${zone} on node 0` }).click();
    await expect(lists(page, `${zone} on node 0`)).toContainText("inactive file");
  }
});

test("a writer: the flusher starts above the background limit, then the writer waits", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^Writers faster than the disk, teaching size/);
  const dirty = () => label(page, /dirty and .* under writeback/);
  expect(numbersOf(await dirty())[0]).toBe(0);

  await goToMoment(page, "writerStartsFlusher");
  const [pages = 0, limit = 0] = numbersOf(await whyOf(page).textContent());
  expect(pages).toBeGreaterThan(limit);
  const [shown, , background] = numbersOf(await dirty());
  expect([shown, background]).toEqual([pages, limit]);

  const moment = await goToMoment(page, "writerIsThrottled");
  const [unwritten] = numbersOf(await whyOf(page).textContent());
  const [left = 0, written = 0] = numbersOf(await dirty());
  expect(left + written).toBe(unwritten);
  // The decision takes effect a few steps later, and going back undoes it.
  const waits = tasks(page).getByText(/waits for fewer dirty pages/);
  const before = await waits.count();
  for (let step = moment + 1; step < moment + 12 && (await waits.count()) === before; step += 1) {
    await goToStep(page, step);
  }
  await expect(waits).toHaveCount(before + 1);
  await goToStep(page, moment);
  await expect(waits).toHaveCount(before);
});

test("free lists replace the LRU lists in the same place, and the LRU lists return", async ({
  page,
}) => {
  await openFirst(page);
  const free = page.getByRole("table", { name: /^Free blocks of/ });
  await expect(free).toHaveCount(0);
  await page.getByRole("button", { name: "Free lists" }).first().click();
  await expect(free).toHaveCount(2);
  await expect(lists(page, "node 0")).toHaveCount(0);
  await page.getByRole("button", { name: "LRU lists", exact: true }).first().click();
  await expect(free).toHaveCount(0);
});
