// A moment as a file: it is saved, read by a person, opened again, or refused with the location of an error.

import { expect, type Page, test } from "@playwright/test";
import { stepOn } from "./journey";
import {
  annotate,
  captionOf,
  chooseFile,
  dropFile,
  fileFrom,
  leave,
  openShare,
  shareOf,
} from "./keep";
import { cursorOf, openFirst } from "./links";

// Each test opens the page several times.
test.describe.configure({ timeout: 90_000 });

const card = (page: Page, name: string | RegExp) => page.getByRole("alertdialog", { name });

/** A moment after five steps, with a title and a breakpoint, and its file. */
async function savedMoment(page: Page) {
  await openFirst(page);
  const step = await stepOn(page, 5);
  await page.keyboard.press("b");
  await annotate(page, "Five steps: on", "A note.");
  const cursor = await cursorOf(page);
  expect(cursor.step).toBe(step);
  const share = await openShare(page);
  const file = await fileFrom(page, share.getByRole("button", { name: "Save as file" }));
  await leave(page);
  return { ...file, cursor };
}

test("a saved moment is a readable file and opens in another browser", async ({
  page,
  browser,
}) => {
  const { name, text, cursor } = await savedMoment(page);
  expect(name).toBe("Five steps on.mmscope.json");
  expect(text).toMatch(/^\{\n {2}"format": "mmscope moment",\n {2}"v": 6,\n/);
  const document = JSON.parse(text);
  expect(document).toMatchObject({ title: "Five steps: on", note: "A note.", cursor });
  expect(document.experiment.machine).toBeDefined();

  const elsewhere = await (await browser.newContext()).newPage();
  await openFirst(elsewhere);
  const share = await openShare(elsewhere);
  await chooseFile(elsewhere, share.getByRole("button", { name: "Open a file" }), text);
  await expect(captionOf(elsewhere)).toContainText("A note.");
  await expect(elsewhere.getByText(/^Reproduced: step/).first()).toBeVisible();
  await expect.poll(() => cursorOf(elsewhere)).toEqual(cursor);
  await elsewhere.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(elsewhere.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
  await elsewhere.context().close();
});

test("opens a plain experiment by drag and drop and from the experiment dialog", async ({
  page,
}) => {
  const { text } = await savedMoment(page);
  const { experiment } = JSON.parse(text);
  await dropFile(page, JSON.stringify({ ...experiment, id: "", title: "From a file", seed: 9 }));
  await expect(page.getByRole("button", { name: /^Scenario: From a file/ })).toBeVisible();
  await expect(page.getByTitle("Go to a step or time")).toContainText("#0 ");
  await page.keyboard.press("x");
  const dialog = page.getByRole("dialog", { name: "The experiment" });
  const button = dialog.getByRole("button", { name: "Open a file" });
  const again = JSON.stringify({ ...experiment, id: "", title: "By hand" });
  await chooseFile(page, button, again, "mine.json");
  await expect(page.getByRole("button", { name: /^Scenario: By hand/ })).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("an invalid file names its field and line, and the open experiment remains open", async ({
  page,
}) => {
  const { text } = await savedMoment(page);
  const { experiment } = JSON.parse(text);
  const before = await cursorOf(page);
  const line = (part: string, of = text) =>
    of.slice(0, of.indexOf(part)).split("\n").length.toString();
  const edited = (from: string | RegExp, to: string) => text.replace(from, to);
  const newer = edited('"v": 6', '"v": 99');
  const hash = edited(/"hash": "\w+"/, '"hash": "xyz"');
  const foreign = edited('"title"', '"evil": 1,\n  "title"');
  const seed = edited(/"seed": \d+/, '"seed": "banana"');
  const plain = JSON.stringify({ ...experiment, length: "banana" }, null, 2);
  const cases: [name: string, text: string, title: RegExp, says: string][] = [
    ["no JSON", `${text.slice(0, 40)} oops`, /incomplete or not from mmscope/, "Line 3"],
    [
      "foreign JSON",
      "[1, 2]",
      /incomplete or not from mmscope/,
      "neither a saved moment of mmscope nor an experiment",
    ],
    ["newer", newer, /made by a newer version of mmscope/, "It has format 99"],
    ["a bad cursor", hash, /cannot be opened/, `Line ${line('"hash"', hash)}: cursor.hash`],
    ["a foreign field", foreign, /cannot be opened/, `Line ${line('"evil"', foreign)}: evil`],
    ["a bad seed", seed, /cannot be opened/, `Line ${line('"seed"', seed)}: `],
    ["a bad length", plain, /cannot be opened/, `Line ${line('"length"', plain)}: `],
    ["too large", `${" ".repeat(17_000_000)}{}`, /too large/, "the limit is 16,777,216"],
  ];
  for (const [name, bad, title, says] of cases) {
    await test.step(name, async () => {
      const share = await openShare(page);
      await chooseFile(page, share.getByRole("button", { name: "Open a file" }), bad, "bad.json");
      await expect(card(page, title)).toContainText(says);
      await expect(card(page, title)).toContainText("bad.json");
      await card(page, title).getByRole("button", { name: "Keep the open experiment" }).click();
      await expect(card(page, title)).toBeHidden();
      expect(await cursorOf(page)).toEqual(before);
    });
  }
  const share = await openShare(page);
  await expect(share.getByRole("textbox", { name: "Title" })).toHaveValue("Five steps: on");
  await leave(page);
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
});

test("a bad link over an open page does not change title, note and breakpoints", async ({
  page,
}) => {
  await savedMoment(page);
  const x = "#/workbench?x=";
  // The link itself is valid: only the engine can refuse its content.
  const bad = await page.evaluate(async () => {
    const text = JSON.stringify({
      v: 3,
      preset: "first-touch.teach",
      title: "Not this",
      changes: [[["length"], "banana"]],
    });
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  });
  await page.evaluate((hash) => {
    location.hash = hash;
  }, x + bad);
  await expect(card(page, "This link cannot be opened")).toContainText("length");
  await page.getByRole("button", { name: "Keep the open experiment" }).click();
  await expect(card(page, "This link cannot be opened")).toBeHidden();
  await page.keyboard.press("s");
  await expect(shareOf(page).getByRole("textbox", { name: "Title" })).toHaveValue("Five steps: on");
  await leave(page);
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
});

test("refuses an oversized file immediately with its position", async ({ page }) => {
  const { text: saved } = await savedMoment(page);
  const { experiment } = JSON.parse(saved);
  const texts: [string, RegExp][] = [
    [
      `{"${"k".repeat(16_500)}":[0${",0".repeat(14_000)}]}`,
      /Line 1, column 2: This field name has 16,500 characters/,
    ],
    [`{"kernel": ${"[".repeat(100_000)}`, /Line 1, column 44: It is nested too deeply/],
    [JSON.stringify({ ...experiment, kernel: "9".repeat(500_000) }), /characters left out/],
    [
      JSON.stringify({
        ...experiment,
        ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, i])),
      }),
      /… and [\d,]+ more\./,
    ],
    [
      JSON.stringify({ ...experiment, seed: "digits" }).replace('"digits"', "9".repeat(100_000)),
      /seed|number/,
    ],
  ];
  for (const [hostile, said] of texts) {
    await dropFile(page, hostile, "hostile.json");
    const refusal = page.getByRole("alertdialog");
    await expect(refusal).toContainText(said);
    // The message is short, however large the file is.
    expect((await refusal.innerText()).length).toBeLessThan(20_000);
    await refusal.getByRole("button", { name: "Keep the open experiment" }).click();
    await expect(refusal).toHaveCount(0);
  }
  await stepOn(page);
});
