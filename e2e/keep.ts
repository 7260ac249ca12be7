// Helpers for saving and sharing a moment.

import { readFileSync } from "node:fs";
import { type Browser, expect, type Locator, type Page } from "@playwright/test";

/** The Share dialog. */
export const shareOf = (page: Page) => page.getByRole("dialog", { name: "Share this moment" });
/** The dialog with saved moments. */
export const savedOf = (page: Page) => page.getByRole("dialog", { name: "Saved moments" });
/** The note and title of a link, shown next to the machine. */
export const captionOf = (page: Page) => page.getByRole("region", { name: "About this moment" });

/** Opens the Share dialog and waits for its link. */
export async function openShare(page: Page): Promise<Locator> {
  await page.keyboard.press("s");
  await expect(shareOf(page).getByRole("textbox", { name: "Link" })).toHaveValue(/x=/);
  return shareOf(page);
}

/** Closes the open dialog, so that keys reach the page again. */
export async function leave(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

/** The link in the Share dialog. */
export async function linkOf(page: Page): Promise<string> {
  const share = await openShare(page);
  const link = await share.getByRole("textbox", { name: "Link" }).inputValue();
  await leave(page);
  return link;
}

/** Gives the current moment a title. */
export async function annotate(page: Page, title: string, note = ""): Promise<void> {
  const share = await openShare(page);
  await share.getByRole("textbox", { name: "Title" }).fill(title);
  await share.getByRole("textbox", { name: "Note" }).fill(note);
  await leave(page);
}

/** Opens a link in a browser context that does not share the first reader's storage. */
export async function openElsewhere(browser: Browser, link: string, of: Page): Promise<Page> {
  const context = await browser.newContext({ viewport: of.viewportSize() });
  const page = await context.newPage();
  await page.goto(link);
  await expect(page.getByText(/^Reproduced: step/).first()).toBeVisible({ timeout: 20_000 });
  return page;
}

/** Presses a button that saves a file, and returns the file's name and text. */
export async function fileFrom(
  page: Page,
  button: Locator,
): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent("download");
  await button.click();
  const download = await waiting;
  const text = readFileSync(await download.path(), "utf8");
  return { name: download.suggestedFilename(), text };
}

/** Chooses a file with a button that opens a file chooser. */
export async function chooseFile(
  page: Page,
  button: Locator,
  text: string,
  name = "a.mmscope.json",
): Promise<void> {
  const waiting = page.waitForEvent("filechooser");
  await button.click();
  const buffer = Buffer.from(text);
  await (await waiting).setFiles({ name, mimeType: "application/json", buffer });
}

/** Drops a file onto the workbench. */
export async function dropFile(page: Page, text: string, name = "a.json"): Promise<void> {
  const data = await page.evaluateHandle(
    ([content, called]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], called, { type: "application/json" }));
      return transfer;
    },
    [text, name] as const,
  );
  const stage = page.getByRole("main");
  await stage.dispatchEvent("dragover", { dataTransfer: data });
  await stage.dispatchEvent("drop", { dataTransfer: data });
}

/** A text that packing cannot reduce below three quarters of its length. */
export function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[state % 64];
  }).join("");
}
