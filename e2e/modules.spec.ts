// The page loads one module of the engine, once, for everything.

import { type Page, expect as quick, test } from "@playwright/test";
import { choose, clockOf } from "./journey";
import { openFirst } from "./links";

const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 60_000 });

const FIRST_FIGURES = [
  "./",
  "./#/workbench",
  "./#/lesson/watermarks-and-kswapd",
  "./#/lesson/the-stall-that-was-not-the-disk",
];

const figure = (page: Page) => page.getByRole("img", { name: /^Zone Normal on node 0/ }).first();

/** The exact names of the requested modules. */
function modulesOf(page: Page): string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    const [, name] = /\/(\w+)_bg[^/]*\.wasm$/.exec(request.url()) ?? [];
    if (name) names.push(name);
  });
  return names;
}

for (const address of FIRST_FIGURES) {
  test(`${address} shows its first figure with only one module`, async ({ page }) => {
    const modules = modulesOf(page);
    await page.goto(address);
    await expect(figure(page)).toBeVisible();
    expect(modules).toEqual(["mmscope"]);
  });
}

test("all pages and dialogs use the same engine module and fetch nothing twice", async ({
  page,
}) => {
  const modules = modulesOf(page);
  await openFirst(page);
  await page.getByRole("button", { name: /^Kernel/ }).click();
  await page
    .getByRole("menuitemradio", { name: /3\.16\b/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: /^Kernel: .*3\.16/ })).toBeVisible();
  await choose(page, /^Writers faster than the disk, teaching size/);
  await page.getByRole("button", { name: "Into" }).click();
  await expect(clockOf(page)).toContainText("#1 ");
  expect(modules).toEqual(["mmscope"]);
});
