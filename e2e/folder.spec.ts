import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type Page, expect as quick, test } from "@playwright/test";
import { makeLesson } from "../scripts/lib/new-lesson.mjs";
import { axeFindsNothing } from "./axe";
import { isAt, stepOn } from "./journey";

/** Engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 90_000 });

const lessons = mkdtempSync(join(tmpdir(), "folders-"));
test.afterAll(() => rmSync(lessons, { recursive: true, force: true }));

/** Opens the folder chooser by keyboard and gives it a folder. */
async function choose(page: Page, folder: string) {
  const asked = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).press("Enter");
  await (await asked).setFiles(folder);
}

test("opens a folder as a lesson and replaces nothing if the folder has errors", async ({
  page,
  baseURL,
}, { workerIndex }) => {
  const folder = makeLesson(`my-lesson-${workerIndex}`, lessons);
  const complaints: string[] = [];
  const sent: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const isOwn = request.method() === "GET" && request.url().startsWith(baseURL ?? "");
    if (!isOwn && !/^(blob|data):/.test(request.url())) sent.push(request.url());
  });
  await page.goto("./");
  await page.getByRole("link", { name: "Open a lesson of your own" }).press("Enter");
  await choose(page, folder);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^My lesson/);
  await expect(page.getByRole("img", { name: /^Zone Normal on node 0: 40 of/ })).toBeVisible();
  const ask = page.getByRole("region", { name: "Prediction", exact: true });
  const blamed = page.getByText(/What stands behind the question/);
  await expect(blamed).toHaveCount(0);
  await ask.getByRole("radio", { name: /^The player itself/ }).check();
  await ask.getByRole("button", { name: "Run it" }).click();
  await expect(ask.getByText("Right.")).toBeVisible();
  await expect(blamed).toBeVisible();

  const change = (file: string, from: string, to: string) => {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  };
  change("index.mdx", '<Ask id="who" />', "<Ask id={who} />");
  change("lesson.json", '"minutes": 5', '"minutes": "five"');
  await page.getByRole("button", { name: "Open it again, or open another" }).click();
  await choose(page, folder);
  const faults = page.getByRole("alert");
  await expect(faults).toContainText(/lesson\.json:4 minutes is "five"/);
  await expect(faults).toContainText(/index\.mdx:13 The attribute "id" of <Ask>/);
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa"]).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.getByRole("button", { name: /^Back to My lesson/ }).click();
  await expect(ask.getByText("Right.")).toBeVisible();

  change("index.mdx", "<Ask id={who} />", '<Ask id="who" />');
  change("lesson.json", '"minutes": "five"', '"minutes": 6');
  await page.getByRole("button", { name: "Open it again, or open another" }).click();
  await choose(page, folder);
  await expect(page.getByText("about 6 minutes in all")).toBeVisible();

  // After a reload it is open again, with its answers.
  await page.reload();
  await expect(page.getByText("about 6 minutes in all")).toBeVisible();
  await expect(ask.getByText("Right.")).toBeVisible();
  expect(complaints).toEqual([]);
  expect(sent).toEqual([]);
});

/** Opens the archive chooser by keyboard and gives it an archive. */
async function chooseArchive(page: Page, name: string, buffer: Buffer) {
  const asked = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a .zip file" }).press("Enter");
  await (await asked).setFiles({ name, mimeType: "application/zip", buffer });
}

test("saves a lesson as a file, opens it in another browser, removes it and restores it", async ({
  page,
  browser,
}, { workerIndex }) => {
  const folder = makeLesson(`handed-on-${workerIndex}`, lessons);
  await page.goto("./#/lesson-folder");
  await choose(page, folder);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Handed on/);
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).press("Enter");
  const download = await waiting;
  expect(download.suggestedFilename()).toBe(`handed-on-${workerIndex}.zip`);
  const archive = readFileSync(await download.path());

  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(page.url());
  await chooseArchive(other, "broken.zip", archive.subarray(0, -40));
  await expect(other.getByRole("alert")).toContainText(/broken\.zip.*not a zip archive/s);
  await chooseArchive(other, "lesson.zip", archive);
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(/^Handed on/);
  await other.getByRole("button", { name: "Open it again, or open another" }).click();
  const list = other.getByRole("region", { name: "Your lessons" });
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await axeFindsNothing(other);
  await list.getByRole("button", { name: /^Remove Handed on/ }).press("Enter");
  await expect(list.getByRole("listitem")).toHaveCount(0);
  await list.getByRole("button", { name: "Undo" }).press("Enter");
  await list.getByRole("button", { name: /^Open Handed on/ }).press("Enter");
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(/^Handed on/);
  await context.close();
});

/**
 * Drops a folder onto the middle of the page, as a file manager does. Repeats the drop if the browser did not
 * report it to the page, which happens in one of a hundred drops on a busy machine.
 */
async function drop(page: Page, folder: string) {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  const send = (type: "dragEnter" | "dragOver" | "drop") =>
    client.send("Input.dispatchDragEvent", { type, x: 500, y: 400, data });
  const counter = await page.evaluateHandle(() => {
    const counter = { drops: 0 };
    const count = () => {
      counter.drops += 1;
    };
    addEventListener("drop", count, { capture: true });
    return counter;
  });
  await expect(async () => {
    await send("dragEnter");
    await send("dragOver");
    await quick(page.locator("[data-drop]")).toHaveCount(1);
    await send("dragOver");
    await send("drop");
    await quick.poll(() => counter.evaluate(({ drops }) => drops)).toBe(1);
  }).toPass();
}

test("opens a folder dropped onto the workbench and does not change the workbench", async ({
  page,
}, { workerIndex }) => {
  const folder = makeLesson(`dropped-${workerIndex}`, lessons);
  await page.goto("./#/workbench");
  const step = await stepOn(page);
  await drop(page, folder);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dropped/);
  await page.goBack();
  await isAt(page, step);
});
