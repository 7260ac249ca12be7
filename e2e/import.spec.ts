import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { atStart, clockOf } from "./journey";
import { leave } from "./keep";
import { openFirst } from "./links";

test("reads, checks and opens the user's machine", async ({ page }) => {
  await openFirst(page);
  // The engine's own zoneinfo of a real-size machine serves as the dump.
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: /^Memory runs out(?!,)/ }).click();
  await atStart(page);
  await page.getByRole("button", { name: "/proc" }).click();
  const shown = page.getByRole("region", { name: "/proc/zoneinfo" });
  await expect(shown).toContainText(/Node 1, zone +Normal/);
  const zoneinfo = (await shown.textContent()) ?? "";
  await leave(page);

  await page.getByRole("button", { name: "Your machine" }).click();
  await page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" }).fill(zoneinfo);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByRole("table", { name: /^Watermarks pasted and computed/ })).toContainText(
    "0/DMA32",
  );
  await page.getByText("Inferred settings").click();
  await page.getByRole("button", { name: "Open this machine" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(
    page.getByRole("button", {
      name: /^Scenario: Your machine: 2 nodes, 4\.0.GiB, \d+ CPUs, x86_64/,
    }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Into" }).click();
  await expect(clockOf(page)).not.toContainText("#0 ");
});

test("refuses a text that is not a zoneinfo and names the line", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  await page
    .getByRole("textbox", { name: "Contents of /proc/zoneinfo" })
    .fill("Node 0, zone DMA\n  pages free many\n");
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByText(/mmscope cannot read this as/)).toBeVisible();
  await expect(page.getByText(/line \d/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeHidden();
  // The pasted text is still there after Escape and a reload.
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByRole("button", { name: "Your machine" }).click();
  await expect(page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" })).toHaveValue(
    /pages free many/,
  );
});

test("explains an OOM report and selects the line of a number", async ({ page }) => {
  const report = readFileSync("engine/explain/tests/data/oom-5.10.txt", "utf8");
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  const area = page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" });
  await area.fill(report);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByText("Line 1: out of memory when wl requested 4 kB")).toBeVisible();
  const zone = page.getByRole("listitem").filter({ hasText: "Zone DMA32 of node 0 has 2,572 kB" });
  await expect(zone).toContainText("it fails by 48 kB");
  await zone.getByRole("button", { name: "line 26" }).click();
  await expect(area).toBeFocused();
  const selected = await area.evaluate((element) => {
    if (!(element instanceof HTMLTextAreaElement)) return "";
    return element.value.slice(element.selectionStart, element.selectionEnd);
  });
  expect(selected).toContain("Node 0 DMA32 free:2572kB min:2620kB");
  await page.getByText("Line 61: out of memory").click();
  await expect(page.getByText("it fails by 108 kB")).toBeVisible();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeHidden();
  await axeFindsNothing(page);
});

test("asks for settings that the dump lacks and names an invalid value", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "/proc" }).click();
  const shown = page.getByRole("region", { name: "/proc/zoneinfo" });
  await expect(shown).toContainText(/Node 1, zone +Normal/);
  const zoneinfo = (await shown.textContent()) ?? "";
  await leave(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  await page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" }).fill(zoneinfo);

  await page.getByText("Settings the dump does not contain").click();
  const free = page.getByRole("textbox", { name: "vm.min_free_kbytes" });
  await expect(free).toHaveAccessibleDescription(/min watermarks/);
  const read = page.getByRole("button", { name: "Read it" });
  await free.fill("64 MB");
  await expect(page.getByText("“64 MB” is not a whole number.")).toBeVisible();
  await expect(read).toBeDisabled();
  // The printed machine has 128; with 256, its watermarks cannot match.
  await free.fill("256");
  await read.click();
  await expect(page.getByText(/zones within [\d,]+ pages|differ by at most/)).toBeVisible();
  await free.fill("vm.min_free_kbytes = 128");
  await page.getByRole("combobox", { name: "Kernel" }).selectOption("3.0");
  await page.getByRole("combobox", { name: "Page size" }).selectOption("4 KiB");
  const ratio = page.getByRole("textbox", { name: "vm.lowmem_reserve_ratio" });
  await ratio.fill("256");
  await read.click();
  await expect(page.getByText("Your settings do not fit this dump")).toBeVisible();
  await ratio.fill("256 256 32");
  await read.click();
  await expect(page.getByRole("table", { name: /^Watermarks pasted and computed/ })).toBeVisible();
});

test("an error names its line, quotes it, and shows it in the text", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  const text = page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" });
  await text.fill("Node 0, zone DMA\n  pages free many\n");
  await page.getByRole("button", { name: "Read it" }).click();
  await page.getByRole("button", { name: "Show line 2" }).first().click();
  await expect(text).toBeFocused();
  const chosen = () =>
    text.evaluate((area: HTMLTextAreaElement) =>
      area.value.slice(area.selectionStart, area.selectionEnd),
    );
  await expect.poll(chosen).toBe("  pages free many");
});

const zoneinfo = (name: string) =>
  readFileSync(`engine/facts/tests/data/zoneinfo/${name}.txt`, "utf8");

/** Has the dialog read a text. */
async function readText(page: Page, text: string) {
  await page.goto("./#/workbench?dialog=import");
  const area = page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" });
  await expect(area).toBeVisible({ timeout: 20_000 });
  await area.fill(text);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByRole("table", { name: /^Watermarks pasted and computed/ })).toBeVisible();
  return area;
}

for (const [name, size] of [
  ["1440 x 900", { width: 1440, height: 900 }],
  ["1280 x 720", { width: 1280, height: 720 }],
  ["a phone", { width: 390, height: 844 }],
] as const) {
  test(`opens, names and steps a machine of one node on ${name}`, async ({ page }) => {
    await page.setViewportSize(size);
    await readText(page, zoneinfo("plain"));
    const wider = await page
      .getByRole("dialog")
      .evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(wider).toBe(0);
    await page.getByRole("button", { name: "Open this machine" }).click();
    await expect(page.getByRole("dialog")).toBeHidden({ timeout: 20_000 });
    await expect(
      page.getByRole("button", { name: /^Scenario: Your machine: 1 node, .*CPU.*kernel/ }),
    ).toBeVisible();
    // A phone has other buttons than a wide page; the clock and the keys are the same.
    await expect(clockOf(page)).toContainText("#0 ", { timeout: 20_000 });
    await expect(clockOf(page)).toBeEnabled();
    await page.keyboard.press("ArrowRight");
    await expect(clockOf(page)).not.toContainText("#0 ");
    // The dialog does not offer the text of an opened machine again.
    await page.goto("./#/workbench?dialog=import");
    await expect(page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" })).toHaveValue("");
  });
}

test("a machine that cannot run gives the reason and keeps the pasted text", async ({ page }) => {
  const area = await readText(page, zoneinfo("empty-zones-keep-rows-highmem"));
  await expect(
    page.getByText(/^This machine can be checked but not opened: .*HighMem/),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Open this machine" })).toHaveCount(0);
  await expect(area).toHaveValue(/HighMem/);
  await page.reload();
  await page.goto("./#/workbench?dialog=import");
  await expect(area).toHaveValue(/HighMem/);
});
