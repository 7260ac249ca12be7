import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Page, expect as quick, test } from "@playwright/test";
import { unzipSync } from "fflate";
import { writePackage } from "../scripts/lib/scorm.mjs";
import { listen, staticServer } from "../scripts/lib/server.mjs";
import { type LmsRecord, lmsPage } from "./lms";

/** Engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 30_000 });
test.describe.configure({ timeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "scorm-journey-"));
let server: Server;
let url: string;
test.beforeAll(async () => {
  const archive = writePackage({
    lesson: "watermarks-and-kswapd",
    lessons: "lessons",
    dist: "dist",
    out: folder,
  });
  for (const [path, bytes] of Object.entries(unzipSync(readFileSync(archive)))) {
    const file = join(folder, "package", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  writeFileSync(join(folder, "lms.html"), lmsPage("package/launch.html"));
  server = staticServer({ folder });
  url = `http://127.0.0.1:${await listen(server, { port: 4420 })}/`;
});
test.afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

// The run-time of `lmsPage` adds `told` to its window; the page's own types do not know it.
const recordOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { told: LmsRecord }).told);
const reported = (page: Page, name: string) => async () => (await recordOf(page)).values[name];

test("a package opens in a learning platform, reports its score, and continues after a reload", async ({
  page,
}) => {
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(url);
    if (!isOwn && !/^(blob|data):/.test(request.url())) elsewhere.push(request.url());
  });
  await page.goto(`${url}lms.html`);
  const lesson = page.frameLocator("iframe").frameLocator("iframe");
  await expect(lesson.getByRole("heading", { level: 1 })).toHaveText("Watermarks and kswapd");
  await expect.poll(reported(page, "cmi.core.lesson_status")).toBe("incomplete");

  /** Answers the next question. */
  const answer = async (question: RegExp, label: RegExp) => {
    const ask = lesson.locator(".ask").filter({ hasText: question });
    await ask.getByRole("radio", { name: label }).check();
    await ask.getByRole("button", { name: "Run it" }).click();
    await expect(ask.locator(".result")).toBeVisible();
  };
  await answer(/Who will free most/, /^The player itself/);
  await expect.poll(reported(page, "cmi.core.score.raw")).toBe("33");
  await expect.poll(reported(page, "cmi.core.lesson_location")).toBe("who");

  // People who share the browser do not share the answers: the platform stores them.
  expect(await page.evaluate(() => Object.keys(localStorage))).not.toContain(
    "mmscope.lesson.watermarks-and-kswapd",
  );
  await page.reload();
  await expect(lesson.locator(".ask .result").first()).toContainText("Right.");
  await answer(/have to reclaim pages itself/, /^No/);
  await answer(/How often is the book read/, /^Every time/);
  await expect.poll(reported(page, "cmi.core.lesson_status")).toBe("completed");
  await expect.poll(reported(page, "cmi.core.score.raw")).toBe("67");

  await page.locator("iframe").evaluate((frame: HTMLIFrameElement) => {
    frame.src = "about:blank";
  });
  await expect.poll(async () => (await recordOf(page)).calls.at(-1)).toBe("LMSFinish");
  const { values, calls, faults } = await recordOf(page);
  expect(values["cmi.core.session_time"]).toMatch(/^0000:0\d:\d\d\.\d\d$/);
  expect(calls[0]).toBe("LMSInitialize");
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
  expect(elsewhere).toEqual([]);
});

test("a package opens without a platform and says that it reports nothing", async ({ page }) => {
  await page.goto(`${url}package/launch.html`);
  await expect(page.getByRole("status").first()).toContainText("No learning platform was found");
  await expect(page.frameLocator("iframe").getByRole("heading", { level: 1 })).toHaveText(
    "Watermarks and kswapd",
  );
});
