// Kernel 6.12 with the multi-generational LRU and with the classic lists: a new machine, an old link, both
// side by side, and the comparison with real kernels.

import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { choose } from "./journey";
import { documentOf, pack } from "./links";

/** Two engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 30_000 });
test.describe.configure({ timeout: 180_000 });

const generations = (page: Page) => page.getByRole("region", { name: /^Generations of node/ });
const lists = (page: Page) => page.getByRole("region", { name: /^LRU lists of node/ });

test("a new machine on 6.12 has generations", async ({ page }) => {
  await page.goto("./#/workbench?preset=anon-hog.teach");
  await choose(page, /^A hot set beside a streaming reader/);
  await expect(generations(page).first()).toBeVisible();
  await expect(lists(page)).toHaveCount(0);
});

test("an old link on 6.12 has the classic lists, and a new copy of it names them", async ({
  page,
}) => {
  const changes = [[["kernel"], "6.12"]];
  const x = pack(JSON.stringify({ v: 5, preset: "anon-hog.teach", changes }));
  await page.goto(`./#/workbench?x=${x}`);
  await expect(lists(page).first()).toBeVisible();
  await expect(generations(page)).toHaveCount(0);
  await expect
    .poll(() => documentOf(page.url()))
    .toMatchObject({
      v: 6,
      changes: expect.arrayContaining([[["tunables", "lru_gen.enabled"], "0"]]),
    });
});

test("the ready-made pair compares both on one workload", async ({ page }) => {
  await page.goto("./#/compare");
  const pane = (side: "A" | "B") => page.getByRole("region", { name: `Machine ${side}` });
  await expect(pane("B")).toHaveAttribute("aria-busy", "false", { timeout: 60_000 });
  await page.getByRole("button", { name: /^Change A/ }).click();
  const dialog = page.getByRole("dialog", { name: "Choose machine A" });
  await dialog.getByRole("button", { name: /^Open both/ }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: /^Change A/ })).toContainText("classic lists");
  await expect(page.getByRole("button", { name: /^Change B/ })).toContainText("generations");
  // Both machines take the same steps until one of them has to reclaim.
  await expect(page.getByRole("region", { name: "First divergence" })).toContainText(
    /Both machines behave identically for [\d,]+ steps/,
    { timeout: 60_000 },
  );
  await axeFindsNothing(page);
});

test("the truth page has the pages in each generation beside the kernel's", async ({ page }) => {
  await page.goto("./#/truth");
  const twins = page.getByRole("region", { name: "Runs of real kernels, repeated" });
  await twins.getByText("Pages in each generation of hogmg", { exact: true }).click();
  await expect(twins.getByRole("row", { name: /^node 0, youngest anon/ })).toBeVisible();
  await axeFindsNothing(page);
});
