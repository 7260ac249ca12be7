import { expect, type Page } from "@playwright/test";
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";

/** Packs any text the way links are packed. */
export const pack = (text: string): string =>
  Buffer.from(deflateSync(strToU8(text))).toString("base64url");

/** The document an address holds. */
export function documentOf(address: string): Record<string, unknown> {
  const packed = new URL(address).hash.split("x=")[1] ?? "";
  return JSON.parse(strFromU8(inflateSync(Buffer.from(packed, "base64url"))));
}

/** The cursor of the address, once the page has come to rest and written it. */
export async function cursorOf(page: Page): Promise<{ step: number; hash: string }> {
  await expect.poll(() => page.url()).toContain("x=");
  const cursor = () => documentOf(page.url()).cursor as { step: number; hash: string };
  const isWritten = async () => {
    const shown = (await page.getByTitle("Go to a step or time").textContent()) ?? "";
    const isAtRest = await page.getByRole("button", { name: "Play", exact: true }).isVisible();
    return isAtRest && Number(/#([\d,]+)/.exec(shown)?.[1]?.replaceAll(",", "")) === cursor().step;
  };
  await expect.poll(isWritten).toBe(true);
  return cursor();
}

/** Opens the page and waits until the first scenario stands at its first moment. */
export async function openFirst(page: Page, at = "./"): Promise<void> {
  await page.goto(at);
  await expect(page.getByRole("region", { name: "Why" })).toContainText("free pages");
}
