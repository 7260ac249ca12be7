import { expect, type Page, test } from "@playwright/test";
import { stepOn } from "./journey";
import { cursorOf, openFirst, pack } from "./links";

const open = (page: Page, x: string) => page.goto(`./#/workbench?x=${x}`);
const card = (page: Page) => page.getByRole("alertdialog");
const draft = (page: Page) => page.evaluate(() => localStorage.getItem("mmscope.draft"));

/** A draft that must stay unchanged. */
async function withDraft(page: Page): Promise<string | null> {
  await openFirst(page);
  await stepOn(page);
  // The page saves the draft together with the address.
  await cursorOf(page);
  const stored = await draft(page);
  await page.goto("about:blank");
  return stored;
}

const CASES: [name: string, x: string, says: RegExp][] = [
  [
    "damaged",
    `${pack(JSON.stringify({ v: 1, preset: "first-touch.teach" })).slice(0, -9)}`,
    /incomplete or not from mmscope/,
  ],
  ["foreign", pack("hello, this is no link"), /incomplete or not from mmscope/],
  ["of other characters", "%3Cscript%3E", /incomplete or not from mmscope/],
  [
    "newer",
    pack(JSON.stringify({ v: 1000, preset: "first-touch.teach" })),
    /newer version of mmscope/,
  ],
  ["too long", "A".repeat(20_000), /too large/],
  ["a bomb", pack(" ".repeat(3_000_000)), /too large/],
  ["of an unknown preset", pack(JSON.stringify({ v: 1, preset: "no-such" })), /cannot be opened/],
  [
    "with a foreign field",
    pack(JSON.stringify({ v: 1, preset: "first-touch.teach", evil: 1 })),
    /cannot be opened/,
  ],
];

test("a bad link neither runs nor changes the draft", async ({ page }) => {
  const stored = await withDraft(page);
  for (const [name, x, says] of CASES) {
    await test.step(name, async () => {
      await page.goto("about:blank");
      await open(page, x);
      await expect(card(page)).toContainText(says);
      await expect(page.getByTitle("Go to a step or time")).toBeDisabled();
      expect(await draft(page)).toBe(stored);
    });
  }
  await page.getByRole("button", { name: "Open my draft" }).click();
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible();
  await expect(card(page)).toBeHidden();
});

test("an invalid experiment names its field and opens with the nearest value only on request", async ({
  page,
}) => {
  const changes = [[["length"], "5000000s"]];
  await open(page, pack(JSON.stringify({ v: 1, preset: "first-touch.teach", changes })));
  await expect(card(page)).toContainText("length");
  await expect(page.getByTitle("Go to a step or time")).toBeDisabled();
  await page.getByRole("button", { name: "Open with the nearest valid value" }).click();
  await expect(page.getByRole("region", { name: "Why" })).toBeVisible();
});

test("a bad link pasted over an open page does not change the open experiment", async ({
  page,
}) => {
  await openFirst(page);
  await page.evaluate(() => {
    location.hash = "#/workbench?x=AAAA";
  });
  await expect(card(page)).toContainText(/incomplete or not from mmscope/);
  await page.getByRole("button", { name: "Keep the open experiment" }).click();
  await expect(page.getByRole("region", { name: "Why" })).toContainText("free pages");
});
