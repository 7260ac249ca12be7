// The comparisons of the engine with real runs, as a reader finds them.

import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { sideways, smallTexts } from "./measurements";

test("the first page leads to every counter of a real run and to the list of what is not modelled", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("link", { name: "How true is this?" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("How true is this?");
  const marks = page.getByRole("region", { name: /^Watermarks/ });
  await expect(marks.getByRole("row", { name: /^6\.1 x86_64/ })).toContainText("none");
  const twins = page.getByRole("region", { name: "Runs of real kernels, repeated" });
  await expect(twins.getByRole("img", { name: /^Counters of reader/ }).first()).toBeVisible();
  await twins.getByText("All counters of writer", { exact: true }).click();
  await expect(twins.getByRole("row", { name: /pgscan_kswapd/ })).toBeVisible();
  // Runs that are not repeated are named, with the reason.
  await expect(twins.getByRole("listitem").filter({ hasText: /^numabal/ })).toBeVisible();
  const tables = page.getByRole("region", { name: "Published tables" });
  await expect(tables.getByRole("note")).toContainText(/engine \d/);
  await page.getByRole("combobox", { name: "Kernel" }).selectOption("6.12");
  const modelled = page.getByRole("region", { name: "Modelled functions and mechanisms" });
  await expect(modelled.getByRole("heading", { name: /^Absent/ })).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => smallTexts(page)).toEqual([]);
  }
  await tables.getByRole("link", { name: "fsmark" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/published and simulated/);
});
