// Title, note, and a moment that is too long for a link.

import { expect, test } from "@playwright/test";
import { canZoom, settled, stepOn } from "./journey";
import {
  annotate,
  captionOf,
  fileFrom,
  leave,
  linkOf,
  noise,
  openElsewhere,
  openShare,
  shareOf,
} from "./keep";
import { cursorOf, documentOf, openFirst, pack } from "./links";

// Each test opens the page several times.
test.describe.configure({ timeout: 90_000 });

const NOTE = "DMA32 is below its low mark.\nStep once, then read Why.";

test("shows the title and the note of a link to its reader", async ({ page, browser }) => {
  await openFirst(page);
  await cursorOf(page);
  const share = await openShare(page);
  await expect(share.getByRole("button", { name: "Copy link" })).toBeFocused();
  const bare = await share.getByRole("textbox", { name: "Link" }).inputValue();
  await expect(share).toContainText(`${bare.length} characters`);
  await share.getByRole("textbox", { name: "Title" }).fill("The first refusal");
  await share.getByRole("textbox", { name: "Note" }).fill(NOTE);
  const field = share.getByRole("textbox", { name: "Link" });
  await expect
    .poll(async () => documentOf(await field.inputValue()))
    .toMatchObject({ title: "The first refusal", note: NOTE });
  const link = await field.inputValue();
  await expect(share).toContainText(`${link.length} characters`);
  await leave(page);
  await expect(captionOf(page)).toBeHidden();

  const elsewhere = await openElsewhere(browser, link, page);
  const caption = captionOf(elsewhere);
  await expect(caption.getByRole("heading", { name: "The first refusal" })).toBeVisible();
  await expect(caption).toContainText("Step once, then read Why.");
  await caption.getByRole("button", { name: "Dismiss the note" }).click();
  await expect(caption).toBeHidden();
  const again = await openShare(elsewhere);
  await again.getByRole("button", { name: "Show title and note on the page" }).click();
  await expect(caption).toContainText("DMA32 is below its low mark.");
  await elsewhere.context().close();
});

test("opening and closing the note shifts no layout", async ({ page, browser }) => {
  await openFirst(page);
  await annotate(page, "A title", NOTE);
  const elsewhere = await openElsewhere(browser, await linkOf(page), page);
  const places = () =>
    elsewhere.evaluate(() =>
      [...document.querySelectorAll("main, aside, header, .time, svg.chart")].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height];
      }),
    );
  await expect(captionOf(elsewhere)).toBeVisible();
  // All parts that load after the first figure are present.
  await canZoom(elsewhere);
  await expect(elsewhere.getByRole("button", { name: "Counters" })).toBeVisible();
  const before = await settled(places);
  await captionOf(elsewhere).getByRole("button", { name: "Dismiss the note" }).click();
  await expect(captionOf(elsewhere)).toBeHidden();
  expect(await places()).toEqual(before);
  await elsewhere.context().close();
});

test("fields accept no more text than a link can store", async ({ page }) => {
  await openFirst(page);
  const share = await openShare(page);
  await share.getByRole("textbox", { name: "Title" }).fill("t".repeat(119));
  await page.keyboard.type("ab");
  await share.getByRole("textbox", { name: "Note" }).fill("n".repeat(1999));
  await expect(share.getByText("1 of 2,000 characters left")).toBeVisible();
  await page.keyboard.type("ab");
  await leave(page);
  const { title, note } = documentOf(await linkOf(page)) as { title: string; note: string };
  expect([title.length, note.length]).toEqual([120, 2000]);
  await page.reload();
  await cursorOf(page);
  const reloaded = await openShare(page);
  await expect(reloaded.getByRole("textbox", { name: "Title" })).toHaveValue(title);
  await expect(reloaded.getByRole("textbox", { name: "Note" })).toHaveValue(note);
});

test("offers a moment that is too long for a link as a file and restores it after a reload", async ({
  page,
}) => {
  const all = noise(12_000);
  const notes = Array.from({ length: 24 }, (_, i) => ({
    step: i,
    time_ns: i,
    note: all.slice(500 * i, 500 * (i + 1)),
  }));
  const x = pack(JSON.stringify({ v: 3, preset: "first-touch.teach", bookmarks: notes }));
  expect(x.length).toBeGreaterThan(8000);
  expect(x.length).toBeLessThan(16_384);
  await openFirstAt(page, `./#/workbench?x=${x}`);
  await stepOn(page);
  const draft = () => page.evaluate(() => localStorage.getItem("mmscope.draft") ?? "");
  await expect.poll(async () => (await draft()).length).toBeGreaterThan(8000);
  // The address is unchanged.
  expect(new URL(page.url()).hash).toBe(`#/workbench?x=${x}`);

  await page.keyboard.press("s");
  await expect(shareOf(page)).toContainText(/would have \d+,\d+ characters.*more than 8,000/);
  await expect(shareOf(page).getByRole("button", { name: "Copy link" })).toHaveCount(0);
  await shareOf(page).getByRole("textbox", { name: "Title" }).fill("Much to say");
  const file = await fileFrom(page, shareOf(page).getByRole("button", { name: "Save as file" }));
  expect(JSON.parse(file.text)).toMatchObject({ title: "Much to say", bookmarks: notes });
  await leave(page);

  const clock = page.getByTitle("Go to a step or time");
  const stood = (await clock.textContent()) ?? "";
  await page.reload();
  await expect(clock).toHaveText(stood);
  await page.keyboard.press("s");
  await expect(shareOf(page).getByRole("textbox", { name: "Title" })).toHaveValue("Much to say");
});

async function openFirstAt(page: Parameters<typeof openFirst>[0], address: string) {
  await page.goto(address);
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0 ", { timeout: 20_000 });
  await expect(page.getByRole("region", { name: "Why" })).toContainText("Nothing has run");
}
