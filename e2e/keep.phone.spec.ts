// Notes, files and saved moments on a touch screen.

import { expect, type Page, test } from "@playwright/test";
import { canZoom, settled } from "./journey";
import { captionOf, chooseFile, fileFrom, savedOf, shareOf } from "./keep";
import { openFirst, pack } from "./links";
import { sideways, smallTargets, smallTexts } from "./measurements";

const NOTE = "DMA32 is below its low mark.\n".repeat(40);

async function openNoted(page: Page) {
  const document = { v: 3, preset: "first-touch.teach", title: "The first refusal", note: NOTE };
  await page.goto(`./#/workbench?x=${pack(JSON.stringify(document))}`);
  await expect(captionOf(page)).toContainText("The first refusal", { timeout: 20_000 });
}

test("shows the note of a link below Why and above the bar on a phone", async ({ page }) => {
  await openNoted(page);
  await canZoom(page);
  const [box, why, bar] = await settled(() =>
    Promise.all([
      captionOf(page).boundingBox(),
      page.getByRole("region", { name: "Why" }).boundingBox(),
      page.getByRole("navigation", { name: "Transport" }).boundingBox(),
    ]),
  );
  if (!box || !why || !bar) throw new Error("one of them is not there");
  expect(box.y).toBeGreaterThanOrEqual(why.y + why.height);
  expect(box.y + box.height).toBeLessThanOrEqual(bar.y);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  await expect.poll(() => smallTexts(page)).toEqual([]);
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await page.getByRole("button", { name: "Dismiss the note" }).click();
  await expect(captionOf(page)).toBeHidden();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Show title and note on the page" }).click();
  await expect(captionOf(page)).toBeVisible();
});

test("saves a moment as a file and in the library on a phone and opens it", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Share" }).click();
  const share = shareOf(page);
  await share.getByRole("textbox", { name: "Title" }).fill("On the way");
  await expect.poll(() => smallTargets(page)).toEqual([]);
  const file = await fileFrom(page, share.getByRole("button", { name: "Save as file" }));
  await share.getByRole("button", { name: "Saved moments" }).click();
  await savedOf(page).getByRole("button", { name: "Save this moment" }).click();
  await expect(savedOf(page).getByRole("listitem")).toContainText(["On the way"]);
  await expect.poll(() => smallTargets(page)).toEqual([]);
  await expect.poll(() => smallTexts(page)).toEqual([]);
  await expect.poll(() => sideways(page)).toBe(0);
  await savedOf(page).getByRole("button", { name: "Close" }).click();
  await expect(savedOf(page)).toBeHidden();

  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: /^Saved moments/ }).click();
  await chooseFile(
    page,
    savedOf(page).getByRole("button", { name: "Import or open a file" }),
    file.text,
  );
  await expect(captionOf(page)).toContainText("On the way");
});
