// Saved moments: stored in this browser, found again, exported and erased; and drafts that a link replaced.

import { expect, type Page, test } from "@playwright/test";
import { atStart, choose, isAt, stepOn } from "./journey";
import { annotate, captionOf, chooseFile, dropFile, fileFrom, leave, savedOf } from "./keep";
import { cursorOf, openFirst, pack } from "./links";

// Each test opens the page several times.
test.describe.configure({ timeout: 90_000 });

async function openSaved(page: Page) {
  await page.keyboard.press("Shift+S");
  const saved = savedOf(page);
  await expect(saved.getByRole("button", { name: "Save this moment" })).toBeEnabled();
  return saved;
}

const rows = (page: Page, shelf: "Saved" | "Recent") =>
  savedOf(page)
    .getByRole("region", { name: new RegExp(`^${shelf}`) })
    .getByRole("listitem");

const numbered = (step: number) => `#${step.toLocaleString("en-GB")}`;

/** Saves the present moment under a title. */
async function save(page: Page, title: string, note = "") {
  const saved = await openSaved(page);
  await saved.getByRole("textbox", { name: "Title" }).fill(title);
  await saved.getByRole("textbox", { name: "Note" }).fill(note);
  await saved.getByRole("button", { name: "Save this moment" }).click();
  await expect(saved.getByText("Saved.", { exact: true })).toBeVisible();
  await leave(page);
}

test("saves a moment, finds it after a reload, opens, renames, deletes and restores it", async ({
  page,
}) => {
  await openFirst(page);
  const { step } = await cursorOf(page);
  // Saves immediately: the library stores the moment on screen, not the last draft.
  await stepOn(page, 3);
  await save(page, "Three steps on", "See the walk.");
  const cursor = await cursorOf(page);
  expect(cursor.step).toBe(step + 3);
  await stepOn(page, 3);
  expect((await cursorOf(page)).step).toBe(step + 6);
  await page.reload();
  await cursorOf(page);

  const saved = await openSaved(page);
  await expect(rows(page, "Saved")).toHaveCount(1);
  const row = rows(page, "Saved").first();
  await expect(row).toContainText("Three steps on");
  await expect(row).toContainText(`${numbered(cursor.step)}, 0.0`);
  await expect(row).toContainText(/First touch.*kernel/);
  await expect(row).toContainText(String(new Date().getFullYear()));
  const title = row.getByRole("textbox");
  await row.getByRole("button", { name: "Rename Three steps on" }).click();
  await expect(title).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Not this{");
  await page.keyboard.press("Escape");
  await expect(saved).toBeVisible();
  await expect(row).toContainText("Three steps on");
  await row.getByRole("button", { name: "Rename Three steps on" }).click();
  await expect(title).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("The walk");
  await page.keyboard.press("Enter");
  await row.getByRole("button", { name: "Open The walk" }).click();
  await expect(saved).toBeHidden();
  await isAt(page, cursor.step);
  await expect.poll(() => cursorOf(page)).toEqual(cursor);
  await expect(captionOf(page)).toContainText("See the walk.");

  await openSaved(page);
  await row.getByRole("button", { name: "Delete The walk" }).click();
  await expect(rows(page, "Saved")).toHaveCount(0);
  await expect(saved.getByRole("button", { name: "Undo" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows(page, "Saved")).toContainText(["The walk"]);
});

test("exports the library, merges it without duplicates, and erases it after one question", async ({
  page,
  browser,
}) => {
  await openFirst(page);
  await save(page, "First");
  await stepOn(page);
  await save(page, "Second", "with a note");
  const saved = await openSaved(page);
  const { name, text } = await fileFrom(page, saved.getByRole("button", { name: "Export all" }));
  expect(name).toBe("mmscope-library.json");
  expect(text).toMatch(/^\{\n {2}"format": "mmscope library",/);

  const elsewhere = await (await browser.newContext()).newPage();
  await openFirst(elsewhere);
  await save(elsewhere, "Their own");
  const theirs = await openSaved(elsewhere);
  const button = theirs.getByRole("button", { name: "Import or open a file" });
  await chooseFile(elsewhere, button, text, "library.json");
  await expect(theirs.getByText("2 moments added.", { exact: true })).toBeVisible();
  await expect(rows(elsewhere, "Saved")).toHaveCount(3);
  await chooseFile(elsewhere, button, text, "library.json");
  await expect(theirs.getByText("0 moments added. 2 moments were here already.")).toBeVisible();
  await expect(rows(elsewhere, "Saved")).toHaveCount(3);
  const damaged = JSON.parse(text);
  damaged.moments[1].title = "Third";
  damaged.moments[0].cursor.step = -1;
  await chooseFile(elsewhere, button, JSON.stringify(damaged, null, 2), "library.json");
  await expect(
    theirs.getByText(/^1 moment added\. Line \d+: moments\[0\]: cursor\.step/),
  ).toBeVisible();
  await expect(rows(elsewhere, "Saved").filter({ hasText: "Third" })).toHaveCount(1);
  await leave(elsewhere);
  await dropFile(elsewhere, text);
  await expect(elsewhere.getByText("0 moments added. 2 moments were here already.")).toBeVisible();

  await openSaved(elsewhere);
  await theirs.getByRole("button", { name: "Erase everything" }).click();
  await expect(theirs.getByRole("alert")).toContainText("all 4 moments");
  await expect(theirs.getByRole("button", { name: "Keep them" })).toBeFocused();
  await elsewhere.keyboard.press("Enter");
  await expect(theirs.getByRole("alert")).toBeHidden();
  await expect(rows(elsewhere, "Saved")).toHaveCount(4);
  await theirs.getByRole("button", { name: "Erase everything" }).click();
  await theirs.getByRole("button", { name: "Erase", exact: true }).click();
  await expect(
    theirs.getByText("Everything was erased. Your runs and their notes stay."),
  ).toBeVisible();
  await expect(rows(elsewhere, "Saved")).toHaveCount(0);
  await elsewhere.context().close();
});

test("lists work that a link replaces under Recent", async ({ page }) => {
  await openFirst(page);
  await stepOn(page, 4);
  await annotate(page, "My own work", "Not to be lost.");
  await page.keyboard.press("b");
  const mine = await cursorOf(page);
  const x = pack(JSON.stringify({ v: 3, preset: "run-out.teach", title: "Theirs" }));
  // Opens the link immediately: the page then saves its pending changes.
  await page.evaluate((packed) => {
    location.hash = `#/workbench?x=${packed}`;
  }, x);
  await expect(captionOf(page)).toContainText("Theirs");
  await atStart(page);
  await stepOn(page);
  // This moment is now the draft.
  await cursorOf(page);
  await page.reload();
  await expect(page.getByRole("button", { name: /^Scenario/ })).toContainText(/run/i);

  await openSaved(page);
  const row = rows(page, "Recent").filter({ hasText: "My own work" });
  await expect(row).toHaveCount(1);
  await row.getByRole("button", { name: "Open My own work" }).click();
  await expect(captionOf(page)).toContainText("My own work");
  await isAt(page, mine.step);
  await expect.poll(() => cursorOf(page)).toEqual(mine);
  await expect(captionOf(page)).toContainText("Not to be lost.");
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
});

test("undo restores work that another experiment replaced, and Recent lists it", async ({
  page,
}) => {
  await openFirst(page);
  await annotate(page, "Before the choice");
  await page.keyboard.press("b");
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
  await cursorOf(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await stepOn(page);
  await cursorOf(page);
  await openSaved(page);
  await expect(rows(page, "Recent")).toContainText(["Before the choice"]);
  await leave(page);
  await page.keyboard.press("Control+z");
  await page.getByRole("tab", { name: /^Breakpoints/ }).click();
  await expect(page.getByRole("button", { name: /^Remove: / })).toHaveCount(1);
  const saved = await openSaved(page);
  await expect(saved.getByRole("textbox", { name: "Title" })).toHaveValue("Before the choice");
});

test("the library keeps the last ten replaced drafts", async ({ page }) => {
  await openFirst(page);
  for (let i = 0; i < 12; i += 1) {
    const x = pack(JSON.stringify({ v: 3, preset: "first-touch.teach", title: `Work ${i}` }));
    await page.evaluate((packed) => {
      location.hash = `#/workbench?x=${packed}`;
    }, x);
    await expect(captionOf(page)).toContainText(`Work ${i}`);
    const draft = () => page.evaluate(() => localStorage.getItem("mmscope.draft"));
    await atStart(page);
    const before = await draft();
    await stepOn(page);
    await expect.poll(draft).not.toBe(before);
  }
  await openSaved(page);
  await expect(rows(page, "Recent")).toHaveCount(10);
  await expect(rows(page, "Recent").first()).toContainText("Work 10");
  await expect(rows(page, "Recent").last()).toContainText("Work 1");
});

test("two tabs see each other's changes and do not block a newer library", async ({
  page,
  context,
}) => {
  await openFirst(page);
  const other = await context.newPage();
  await openFirst(other);
  await openSaved(other);
  await save(page, "From the first tab");
  await expect(rows(other, "Saved")).toContainText(["From the first tab"]);

  // Acts like a newer mmscope while the other tab has this library open.
  const upgraded = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const request = indexedDB.open("mmscope.moments", 99);
        // A tab that is reading closes its connection when it has read: until then the upgrade is "blocked".
        request.onerror = () => resolve("refused");
        request.onsuccess = () => {
          request.result.close();
          resolve("open");
        };
      }),
  );
  expect(upgraded).toBe("open");
  await savedOf(other).getByRole("button", { name: "Save this moment" }).click();
  await expect(
    savedOf(other).getByText(/A newer version of mmscope wrote this library/),
  ).toBeVisible();
});

test("shows a message without waiting if an older tab blocks the library", async ({ page }) => {
  await openFirst(page);
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        // A tab that does not close: its connection stays open during the request to delete the database.
        const request = indexedDB.open("mmscope.moments", 1);
        request.onupgradeneeded = () => {
          request.result.createObjectStore("moments", { keyPath: "id" });
        };
        request.onsuccess = () => {
          Object.assign(window, { held: request.result });
          indexedDB.deleteDatabase("mmscope.moments");
          resolve();
        };
      }),
  );
  await page.keyboard.press("Shift+S");
  await expect(savedOf(page).getByRole("alert")).toContainText(
    /does not respond|has an older library open/,
    {
      timeout: 8000,
    },
  );
  await leave(page);
  await stepOn(page);
  await cursorOf(page);
});

const FORBID = () => {
  Object.defineProperty(window, "indexedDB", {
    get() {
      throw new DOMException("denied", "SecurityError");
    },
  });
};
const FILL = () => {
  IDBObjectStore.prototype.put = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
};
const BREAK = () => {
  IDBFactory.prototype.open = () => {
    throw new DOMException("the disk is gone", "UnknownError");
  };
};

const FAULTS: [name: string, fault: () => void, says: RegExp][] = [
  ["forbidden", FORBID, /denies storage for saved moments/],
  ["full", FILL, /storage is full: nothing was saved/],
  ["broken", BREAK, /storage failed \(the disk is gone\)/],
];
for (const [name, fault, says] of FAULTS) {
  test(`shows a message about storage that is ${name} and otherwise works`, async ({ page }) => {
    await page.addInitScript(fault);
    await openFirst(page);
    const saved = await openSaved(page);
    await saved.getByRole("button", { name: "Save this moment" }).click();
    await expect(saved.getByText(says).first()).toBeVisible();
    await leave(page);
    await stepsOn(page);
  });
}

async function stepsOn(page: Page) {
  await cursorOf(page);
  const step = await stepOn(page);
  expect((await cursorOf(page)).step).toBe(step);
}

test("reports once that storage is too full for the draft", async ({ page }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await openFirst(page);
  await stepOn(page);
  const words = page.getByText(/storage is full: your draft is lost when this page closes/);
  await expect(words).toBeVisible();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await stepsOn(page);
  await page.waitForTimeout(400);
  await expect(words).toBeHidden();
});
