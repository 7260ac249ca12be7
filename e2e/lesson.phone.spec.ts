import { expect as quick, test } from "@playwright/test";
import { showAll } from "./journey";
import { smallTargets } from "./measurements";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

test("shows a lesson with the tank in view on a phone and marks an answer", async ({ page }) => {
  await page.goto("./#/lesson/watermarks-and-kswapd");
  const tank = page.getByRole("img", { name: /^Zone Normal on node 0/ });
  await expect(tank).toBeVisible();
  const film = page
    .getByRole("region", { name: "Prediction", exact: true })
    .filter({ hasText: /streams the whole film/ });
  await film.getByRole("radio", { name: /^kswapd/ }).tap();
  await film.getByRole("button", { name: "Run it" }).tap();
  await expect(film.getByText(/^Not this time/)).toBeVisible();
  await expect(tank).toBeInViewport();
  await expect(page.getByRole("img", { name: /^Zone Normal on node 0: 32 of/ })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});

test("shows both scanners on a phone in a lesson about pageblocks", async ({ page }) => {
  await page.goto("./#/lesson/making-room-for-a-huge-page");
  await showAll(page);
  await page.getByRole("button", { name: "the scanners have met" }).tap();
  const blocks = page.getByRole("region", { name: /^Pageblocks of Normal/ });
  await expect(blocks).toContainText("block 19");
  await expect(blocks).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});

test("shows the waiting tasks beside the tank on a phone in a lesson about waits", async ({
  page,
}) => {
  await page.goto("./#/lesson/stalling-on-nothing");
  const waits = page.getByRole("region", { name: "Wait queues" });
  await expect(waits).toContainText("congestion_wait");
  await expect(waits).toContainText(/kswapd0, \d+\u202fms|\d tasks/);
  await expect(page.getByRole("img", { name: /^Zone Normal on node 0/ })).toBeInViewport();
  await expect(waits).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("shows the free lists above the text on a phone in a lesson about them", async ({ page }) => {
  await page.goto("./#/lesson/pages-and-frames");
  await showAll(page);
  await page.getByRole("button", { name: "13 free blocks" }).tap();
  const lists = page.getByRole("table", { name: /^Free blocks of Normal on node 0/ });
  await expect(lists.getByRole("row", { name: /^movable/ })).toContainText("3");
  await expect(lists).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
});

test("one tap leads from a lesson on a phone to the whole machine", async ({ page }) => {
  await page.goto("./#/lesson/watermarks-and-kswapd");
  await page.getByRole("button", { name: "At 40 free pages" }).tap();
  const link = page.getByRole("link", { name: "Workbench" });
  await expect(link).toHaveAttribute("href", /x=/);
  await link.tap();
  await expect(page.getByText(/^Reproduced: step/).first()).toBeVisible();
  await expect(page.getByRole("grid", { name: /^Page map of node 0/ })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("shows the machine and its one button first on a phone", async ({ page }) => {
  await page.goto("./");
  const button = page.getByRole("button", { name: "Run on" });
  await expect(button).toBeEnabled();
  await expect(button).toBeInViewport();
  await expect(page.getByText(/not above low \(/).first()).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await smallTargets(page)).toEqual([]);
  await button.tap();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
});
