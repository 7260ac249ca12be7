import { expect, test } from "@playwright/test";
import { openFirst } from "./links";

test("a person's own machine is read, checked and opened", async ({ page }) => {
  await openFirst(page);
  // The engine's own print of a real-size machine is as good a dump as any.
  await page.getByRole("button", { name: /^Scenario/ }).click();
  await page.getByRole("menuitemradio", { name: /^Memory runs out(?!,)/ }).click();
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0");
  await page.getByRole("button", { name: "/proc" }).click();
  const shown = page.getByRole("region", { name: "/proc/zoneinfo" });
  await expect(shown).toContainText(/Node 1, zone +Normal/);
  const zoneinfo = (await shown.textContent()) ?? "";
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Your machine" }).click();
  await page.getByRole("textbox", { name: "Contents of /proc/zoneinfo" }).fill(zoneinfo);
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByRole("table", { name: /^Marks pasted and computed/ })).toContainText(
    "0/DMA32",
  );
  await page.getByText("What was inferred").click();
  await page.getByRole("button", { name: "Open this machine" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(
    page.getByRole("button", { name: /^Scenario: First touch on your machine/ }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Into" }).click();
  await expect(page.getByTitle("Go to a step or time")).not.toContainText("#0 ");
});

test("what is no zoneinfo is refused with its line", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  await page
    .getByRole("textbox", { name: "Contents of /proc/zoneinfo" })
    .fill("Node 0, zone DMA\n  pages free many\n");
  await page.getByRole("button", { name: "Read it" }).click();
  await expect(page.getByText(/not a zoneinfo mmscope can read/)).toBeVisible();
  await expect(page.getByText(/line \d/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Open this machine" })).toBeHidden();
});
