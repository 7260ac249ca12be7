import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { crowdAddress } from "./crowd.mjs";
import { atStart, clockOf, currentStep, stepOn } from "./journey";
import { sideways, smallTexts } from "./measurements";

const panel = (page: Page) => page.getByRole("region", { name: "CPUs" });
const tokens = (page: Page) => page.locator(".cpu [data-token] button");
const TWO = { nodes: 2, cpus: 2, tasks: 6 };

/** Goes to a time at which tasks take turns. */
async function goOn(page: Page) {
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill("20 ms");
  await page.keyboard.press("Enter");
  await expect.poll(() => currentStep(page)).toBeGreaterThan(1000);
  await expect(clockOf(page)).toBeEnabled();
}

/** Steps until a task has moved to a CPU from another one. */
async function stepToMove(page: Page) {
  const from = page.locator(".cpu .from");
  for (let i = 0; i < 150 && (await from.count()) === 0; i += 1) await stepOn(page);
  await expect(from.first()).toBeVisible();
  return from.first();
}

test("shows CPUs in place of the tasks and the tasks that a step moves between them", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`./${crowdAddress({ ...TWO, isOfCpus: false })}`);
  await atStart(page);
  await expect(panel(page)).toHaveCount(0);
  await page.getByRole("button", { name: "CPUs", exact: true }).click();
  await expect(page.getByRole("region", { name: "Tasks" })).toHaveCount(0);
  await expect(page.locator(".cpu")).toHaveCount(4);
  // The page has written its link into the address.
  await expect.poll(() => page.url()).toContain("x=");

  await goOn(page);
  const height = async () => (await panel(page).boundingBox())?.height;
  const before = await height();
  const move = await stepToMove(page);
  const cell = page.locator(".cpu").filter({ has: page.locator(".from") });
  const words = (await move.textContent()) ?? "";
  expect(words).toMatch(/^from CPU \d+$/);
  const to = await cell.first().getAttribute("data-cpu");
  expect(words).not.toBe(`from CPU ${to}`);
  await expect(page.locator(".cpu-arcs .move-path")).toHaveCount(1);
  expect(await height()).toBe(before);

  // A step back shows the move in reverse; a jump shows none.
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".cpu .from")).toHaveCount(0);
  await expect(page.locator(".cpu-arcs .move-path")).toHaveCount(1);
  await page.keyboard.press("Home");
  await expect(clockOf(page)).toContainText("#0 ");
  await expect(page.locator(".cpu-arcs .move-path")).toHaveCount(0);
  expect(await height()).toBe(before);
});

test("describes in words what each CPU does", async ({ page }) => {
  await page.goto(`./${crowdAddress(TWO)}`);
  await atStart(page);
  const first = page.locator('.cpu[data-cpu="0"]');
  await expect(first).toContainText(/CPU 0: runs \S+, in \S+/);
  await goOn(page);
  await expect(first).toContainText(/CPU 0: .*; .*wait/);
  await expect(first.getByRole("img")).toHaveAccessibleName(/since boot: .* user mode/);
});

test("Tab reaches one task and arrow keys the others, and all views share one selection", async ({
  page,
}) => {
  await page.goto(`./${crowdAddress(TWO)}`);
  await atStart(page);
  await goOn(page);
  const step = await currentStep(page);
  await page.getByRole("button", { name: "CPUs", exact: true }).focus();
  await page.keyboard.press("Tab");
  await expect(tokens(page).first()).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(tokens(page).nth(1)).toBeFocused();
  expect(await currentStep(page)).toBe(step);
  await page.keyboard.press("Enter");
  await expect(tokens(page).nth(1)).toHaveAttribute("aria-pressed", "true");
  const name = (await tokens(page).nth(1).locator("span").first().textContent()) ?? "";
  await page.keyboard.press("End");
  await expect(tokens(page).last()).toBeFocused();

  await page.getByRole("button", { name: "Tasks", exact: true }).click();
  const task = page.getByRole("region", { name: "Tasks" }).getByRole("button", {
    name: new RegExp(`^${name}`),
  });
  await expect(task.first()).toHaveAttribute("aria-pressed", "true");
});

test("64 CPUs are readable without sideways scrolling", async ({ page }) => {
  test.slow();
  await page.goto(`./${crowdAddress({ nodes: 4, cpus: 16, tasks: 80 })}`);
  await atStart(page);
  await expect(page.locator(".cpu")).toHaveCount(64);
  for (const width of [1920, 1440, 1024, 700]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
});

test("axe finds no violation in the view of CPUs in either theme", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`./${crowdAddress(TWO)}`);
  await atStart(page);
  await goOn(page);
  await axeFindsNothing(page);
});
