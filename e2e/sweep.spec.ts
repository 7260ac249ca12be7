import { readFileSync } from "node:fs";
import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

/** An engine runs, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 60_000 });
test.describe.configure({ timeout: 240_000 });

const runs = (page: Page) => page.getByRole("region", { name: "Runs" });

/** Opens a small sweep: one tunable and two seeds. */
async function openSmall(page: Page, seeds: string) {
  await page.goto("./#/sweep?preset=first-touch.teach");
  const first = page.getByRole("group", { name: "Axis 1" });
  await first.getByLabel("values").fill("0, 60, 100");
  await page.getByRole("group", { name: "Axis 2" }).getByLabel("values").fill(seeds);
}

async function saved(page: Page, name: string): Promise<Buffer> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name, exact: true }).click();
  return readFileSync(await (await download).path());
}

test("a sweep is defined, cancelled, reloaded, continued, read and saved", async ({ page }) => {
  await openSmall(page, "1 to 8");
  await expect(runs(page)).toContainText("24 runs, none finished.");
  await page.getByRole("button", { name: "Run the sweep" }).click();
  await expect(runs(page)).toContainText(/[1-9]\d* of 24 runs finished/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(runs(page)).toContainText("Cancelled. Finished runs are kept.");
  await page.reload();
  await expect(runs(page)).toContainText(/24 runs, [1-9]\d* finished\./);
  await page.getByRole("button", { name: "Continue the sweep" }).click();
  await expect(runs(page)).toContainText("All 24 runs have finished.");

  await page.getByLabel("Figure").selectOption("pgfault");
  const chart = page.getByRole("group", { name: "pgfault by vm.swappiness" });
  const first = chart.getByRole("button", { name: /^vm.swappiness 0: .*8 runs$/ });
  await first.focus();
  await page.keyboard.press("Enter");
  await expect(first).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("ArrowRight");
  await expect(chart.getByRole("button", { name: /^vm.swappiness 60: / })).toBeFocused();
  const point = page.getByRole("region", { name: "Selected point" });
  await expect(point).toContainText("vm.swappiness 60: ");
  await axeFindsNothing(page);

  const lines = (await saved(page, "JSON lines")).toString().trim().split("\n");
  expect(lines).toHaveLength(24);
  const [line] = lines.map((each) => JSON.parse(each));
  expect(Object.keys(line)).toEqual([
    "key",
    "axes",
    "seed",
    "engine",
    "hash",
    "steps",
    "seconds",
    "ended",
    "figures",
    "experiment",
  ]);
  expect((await saved(page, "CSV")).toString().split("\r\n")).toHaveLength(26);
  expect((await saved(page, "Parquet")).subarray(0, 4).toString()).toBe("PAR1");
  expect((await saved(page, "The chart as SVG")).toString()).toContain("<svg");

  const link = point.getByRole("link", { name: /seed 3, / });
  await expect(link).toHaveAttribute("href", /#\/workbench\?x=/);
  await link.click();
  // The bar has room for this button on a wide page.
  await page.setViewportSize({ width: 1680, height: 900 });
  await expect(page.getByRole("button", { name: "Sweep this experiment" })).toBeEnabled();
  // And back: the experiment of the workbench, with its tunable and seed.
  await page.getByRole("button", { name: "Sweep this experiment" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sweep");
  await expect(page.getByRole("combobox", { name: "Experiment" })).toHaveValue("own experiment");
  await expect(page.getByRole("region", { name: "Earlier sweeps" })).toContainText("First touch");
});

test("shows two axes as a heat map and names a combination that cannot run", async ({ page }) => {
  await openSmall(page, "1 to 2");
  await page.getByRole("button", { name: "Add an axis" }).click();
  const third = page.getByRole("group", { name: "Axis 3" });
  await third.getByLabel("values").fill("3.0, none");
  await expect(page.getByRole("alert")).toContainText("kernel=none");
  await third.getByLabel("values").fill("3.0, 6.1");
  await expect(runs(page)).toContainText("12 runs, none finished.");
  await page.getByRole("button", { name: "Run the sweep" }).click();
  await expect(runs(page)).toContainText("All 12 runs have finished.");
  await page.getByLabel("Figure").selectOption("pgfault");
  const chart = page.getByRole("group", { name: "pgfault by kernel and vm.swappiness" });
  const cells = chart.getByRole("button");
  await expect(cells).toHaveCount(6);
  await cells.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(chart.getByRole("button", { pressed: true })).toHaveAccessibleName(
    /^kernel 3.0, vm.swappiness 60: .*2 runs$/,
  );
  await axeFindsNothing(page);
});
