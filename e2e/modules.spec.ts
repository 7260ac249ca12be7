// Which modules of the engine a page loads, and when: before its first figure only the one that
// runs its machine.

import { type Page, expect as quick, test } from "@playwright/test";
import { clockOf } from "./journey";
import { openFirst } from "./links";

const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 60_000 });

const FIRST_FIGURES = [
  "./",
  "./#/workbench",
  "./#/lesson/watermarks-and-kswapd",
  "./#/lesson/the-stall-that-was-not-the-disk",
];
const READER = /mmscope_open_bg[^/]*\.wasm$/;

const figure = (page: Page) => page.getByRole("img", { name: /^Zone Normal on node 0/ }).first();

/** What says that a module is missing. */
const cardOf = (page: Page) =>
  page.getByRole("alertdialog", { name: "A part of the engine did not load" });

/** Chooses another kernel than the one that is open. */
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

for (const address of FIRST_FIGURES) {
  test(`${address} shows its first figure with one module, then fetches the reader`, async ({
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
    expect(new Set(modules)).toEqual(new Set(["mmscope", "mmscope_open"]));
    expect(modules.indexOf("mmscope_open")).toBeGreaterThan(modules.indexOf("mmscope"));
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
