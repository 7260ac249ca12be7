// Which modules of the engine a page loads, and when: before its first figure only the one that
// runs its machine, which is what scripts/lib/sizes.mjs counts, and the whole engine where something
// is opened that the first cannot run.

import { type Page, expect as quick, test } from "@playwright/test";
import { choose, clockOf } from "./journey";
import { openFirst } from "./links";

const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 60_000 });

/** Each with the engine it begins with. */
const FIRST_FIGURES = [
  ["./", "mmscope"],
  ["./#/workbench", "mmscope"],
  ["./#/lesson/watermarks-and-kswapd", "mmscope"],
  ["./#/lesson/the-stall-that-was-not-the-disk", "mmscope_whole"],
] as const;
const READER = /mmscope_open_bg[^/]*\.wasm$/;
const WHOLE = /mmscope_whole_bg[^/]*\.wasm$/;

/** What the first engine cannot run. */
const WRITER = /^Writers faster than the disk, teaching size/;

const figure = (page: Page) => page.getByRole("img", { name: /^Zone Normal on node 0/ }).first();

/** What says that a module is missing. */
const cardOf = (page: Page) =>
  page.getByRole("alertdialog", { name: "A part of the engine did not load" });

/** Chooses a kernel the first engine knows, where another is open. */
async function chooseKernel(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Kernel/ }).click();
  await page
    .getByRole("menuitemradio", { name: /6\.1\b/ })
    .first()
    .click();
}

/** What is open can be stepped. */
async function steps(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Into" }).click();
  await expect(clockOf(page)).not.toContainText("#0 ");
}

/** Names of the modules that were asked for, as they are. */
function modulesOf(page: Page): string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/(\w+)_bg[^/]*\.wasm$/.exec(request.url()) ?? [];
    if (name) names.push(name);
  });
  return names;
}

for (const [address, engine] of FIRST_FIGURES) {
  test(`${address} shows its first figure with ${engine}, then fetches the reader`, async ({
    page,
  }) => {
    const modules = modulesOf(page);
    const wasLive: boolean[] = [];
    await page.route(READER, async (route) => {
      wasLive.push(await figure(page).isVisible());
      await route.abort();
    });
    await page.goto(address);
    await expect(figure(page)).toBeVisible();
    // A visitor who goes on will not wait: it comes by itself, behind the figure.
    await expect.poll(() => wasLive.length).toBeGreaterThan(0);
    expect(wasLive).not.toContain(false);
    expect(new Set(modules)).toEqual(new Set([engine, "mmscope_open"]));
    expect(modules.indexOf("mmscope_open")).toBeGreaterThan(modules.indexOf(engine));
  });
}

test("without the reader what is open stays, and a change works once it is there", async ({
  page,
}) => {
  await page.route(READER, (route) => route.abort());
  await openFirst(page);
  await chooseKernel(page);
  const card = cardOf(page);
  await expect(card).toContainText("your draft is as you left it");
  await card.getByRole("button", { name: "Try again" }).click();
  await expect(card).toBeVisible();
  await card.getByRole("button", { name: "Keep what is open" }).click();
  await expect(card).toBeHidden();
  await steps(page);

  await page.unroute(READER);
  await chooseKernel(page);
  await expect(page.getByRole("button", { name: /^Kernel: .*6\.1/ })).toBeVisible();
  await expect(card).toBeHidden();
});

test("a kernel the first engine knows needs no other; an experiment that writes takes the whole engine", async ({
  page,
}) => {
  const modules = modulesOf(page);
  await openFirst(page);
  await chooseKernel(page);
  await expect(page.getByRole("button", { name: /^Kernel: .*6\.1/ })).toBeVisible();
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await steps(page);
  expect(modules).not.toContain("mmscope_whole");

  await choose(page, WRITER);
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible();
  expect(modules.filter((name) => name === "mmscope_whole")).toHaveLength(1);

  // What did without it goes on in it: nothing is fetched again.
  const fetched = modules.length;
  await choose(page, /^First touch on two nodes, teaching size/);
  await page.getByRole("button", { name: "Into" }).click();
  await expect(clockOf(page)).toContainText("#1 ");
  expect(modules).toHaveLength(fetched);
});

test("without the whole engine what is open stays, and the choice works once it is there", async ({
  page,
}) => {
  await page.route(WHOLE, (route) => route.abort());
  await openFirst(page);
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: WRITER }).click();
  const card = cardOf(page);
  await expect(card).toContainText("your draft is as you left it");
  await card.getByRole("button", { name: "Keep what is open" }).click();
  await expect(card).toBeHidden();
  await expect(page.getByRole("button", { name: /^Scenario: First touch/ })).toBeVisible();
  await steps(page);

  await page.unroute(WHOLE);
  await choose(page, WRITER);
  await expect(card).toBeHidden();
});
