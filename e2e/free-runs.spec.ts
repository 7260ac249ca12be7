import { expect, type Page, test } from "@playwright/test";
import { canZoom } from "./journey";
import { cursorOf, pack } from "./links";

/** A machine of real size. Half of the kernel's memory was returned page by page. */
function address(): string {
  const program = [
    { op: "alloc", pool: "pages", order: 0, count: 20_000 },
    { op: "release", pool: "pages", every: 2 },
    { op: "stop" },
  ];
  const workload = { id: "holes", processes: [{ name: "driver", node: 0, program }] };
  const changes = [
    [["id"], ""],
    [["workload"], workload],
  ];
  return `./#/workbench?x=${pack(JSON.stringify({ v: 1, preset: "first-touch", changes }))}`;
}

const grid = (page: Page) => page.locator(".map").first().getByRole("grid");
const cellText = async (page: Page) => (await grid(page).getByRole("gridcell").textContent()) ?? "";

test("a zoomed map names the free blocks of a pageblock and agrees with its pages", async ({
  page,
}) => {
  test.setTimeout(120_000);
  await page.goto(address());
  await canZoom(page);
  await page.keyboard.press("End");
  await expect(page.getByText("The run has ended here.")).toBeVisible({ timeout: 60_000 });
  await cursorOf(page);
  await grid(page).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("+");
  await expect(grid(page)).toHaveAccessibleName(/^Pageblocks of node 0/);
  // The pages taken one by one are at the end of the zone that is used first.
  const holes = /: (\d+) free, .*; free in (\d+) blocks of order 0$/;
  await expect
    .poll(
      async () => {
        if (!holes.test(await cellText(page))) await grid(page).press("ArrowLeft");
        return cellText(page);
      },
      { intervals: [50], timeout: 60_000 },
    )
    .toMatch(holes);
  const [, free, blocks] = holes.exec(await cellText(page)) ?? [];
  expect(blocks).toBe(free);
  await page.keyboard.press("+");
  await expect(grid(page)).toHaveAccessibleName(new RegExp(`^Pages of block .*\\b${free} free`));
});
