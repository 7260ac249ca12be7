import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { openFirst } from "./links";

/** Engines start and run, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 20_000 });
test.describe.configure({ timeout: 180_000 });

const fixtures = join(import.meta.dirname, "fixtures");
const made = mkdtempSync(join(tmpdir(), "captures-"));
const capture = join(made, "hog.tar.gz");
test.beforeAll(() => {
  execFileSync("tar", ["-czf", capture, "-C", fixtures, "hog"]);
});
test.afterAll(() => rmSync(made, { recursive: true, force: true }));

const filesOf = (page: Page) => page.getByLabel("Files of a machine");
const logOf = (page: Page) => page.getByRole("region", { name: "Event log" });
const titleOf = (page: Page) => page.getByRole("heading", { level: 1 });

/** Opens a capture of a hog on a kernel 6.1 with 512 MiB. */
async function openHog(page: Page) {
  await page.goto("./");
  await page.getByRole("link", { name: "Open a capture or a trace" }).press("Enter");
  await expect(titleOf(page)).toHaveText("A real machine");
  await filesOf(page).setInputFiles(capture);
  await expect(titleOf(page)).toHaveText(/hog/);
  await expect(logOf(page).getByRole("status").filter({ hasText: /event/ })).toContainText(
    /[\d,]+ events? from/,
  );
}

test("opens a capture, filters its events and explains one without sending anything", async ({
  page,
  baseURL,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => {
    const isOwn = request.method() === "GET" && request.url().startsWith(baseURL ?? "");
    if (!isOwn && !/^(blob|data):/.test(request.url())) sent.push(request.url());
  });
  await openHog(page);
  await expect(page.getByText(/· 3,988 events/)).toBeVisible();
  await expect(page.getByText("hog hogmb=600", { exact: true })).toBeVisible();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText("0/DMA32", { exact: true })).toBeVisible();
  await expect(timeline.getByText(/^kswapd0-37/)).toBeVisible();

  await logOf(page).getByRole("searchbox").fill("shrink_inactive nr_ref_keep=7");
  await expect(logOf(page).getByRole("status").filter({ hasText: /event/ })).toContainText(
    /[\d,]+ of [\d,]+ events/,
  );
  const row = page.getByRole("grid", { name: "Events" }).getByRole("row").nth(1);
  await row.getByRole("button", { name: /^Go to step/ }).click();
  const event = page.getByRole("region", { name: /^Event #/ });
  await expect(event).toContainText(/finished a batch of 7 pages and reclaimed 0 of them\./);
  await expect(event).toContainText("7 pages kept (referenced once: kept for one more round).");
  const before = await event.getByRole("heading").textContent();
  await event.getByRole("button", { name: "Next event" }).press("Enter");
  await expect(event.getByRole("heading")).not.toHaveText(before ?? "");

  const reclaim = page.getByRole("region", { name: "Reclaim in this trace" });
  await expect(reclaim.getByRole("table", { name: /kswapd/ })).toContainText("scanned");
  await axeFindsNothing(page);
  expect(sent).toEqual([]);
});

test("a trace pasted as a zoneinfo leads to the page that opens traces", async ({ page }) => {
  await openFirst(page);
  await page.getByRole("button", { name: "Your machine" }).click();
  const dialog = page.getByRole("dialog", { name: "Your machine" });
  await dialog
    .getByRole("textbox", { name: "Contents of /proc/zoneinfo" })
    .fill("  kswapd0-37  [000] .....  8.925525: mm_vmscan_kswapd_wake: nid=0 order=0\n");
  await dialog.getByRole("button", { name: "Read it" }).click();
  const notice = dialog.getByText("This text is a trace of the kernel.");
  await notice.getByRole("link", { name: "open a capture or a trace" }).click();
  await expect(titleOf(page)).toHaveText("A real machine");
});

test("chooses another trace of the capture and opens the files again after a reload", async ({
  page,
}) => {
  await openHog(page);
  await page.getByRole("combobox", { name: "Trace" }).selectOption({ label: "hog/trace-key.txt" });
  await expect(page.getByText(/· 2,\d\d\d events/)).toBeVisible();
  await expect(page.getByText(/a reload opens them again/)).toBeVisible();
  await page.reload();
  await expect(titleOf(page)).toHaveText(/hog/);
  await expect(page.getByText(/· 3,988 events/)).toBeVisible();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect(titleOf(page)).toHaveText("A real machine");
});

/** Drops files and folders onto the middle of the page, as a file manager does. */
async function drop(page: Page, paths: string[]) {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await client.send("Input.dispatchDragEvent", { type, x: 500, y: 400, data });
  }
}

test("opens files that are dropped together, a folder, and a folder dropped with a file", async ({
  page,
}) => {
  await page.goto("./#/trace");
  await expect(titleOf(page)).toHaveText("A real machine");
  const hog = join(fixtures, "hog");
  const names = ["before.txt", "after.txt", "shape.json"];
  await drop(
    page,
    names.map((name) => join(hog, name)),
  );
  await expect(page.getByText(/^3 files/)).toBeVisible();
  await expect(page.getByText("hog hogmb=600", { exact: true })).toBeVisible();

  await drop(page, [hog]);
  await expect(page.getByText(/^10 files/)).toBeVisible();
  await expect(page.getByText(/· 3,988 events/)).toBeVisible();

  const note = join(made, "note.txt");
  writeFileSync(note, "Seen on Monday.\n");
  await drop(page, [note, hog]);
  await expect(page.getByText(/^11 files/)).toBeVisible();
});

test("draws the counters of repeated readings of vmstat", async ({ page }) => {
  const series = join(made, "vmstat.txt");
  const at = (s: number) =>
    `${100 + s}.5\nnr_free_pages ${9000 - 100 * s}\npgpgin ${20 * s}\npgscan_kswapd ${7 * s}\npgsteal_kswapd ${5 * s}\n`;
  writeFileSync(series, Array.from({ length: 40 }, (_, s) => at(s)).join(""));
  await page.goto("./#/trace");
  await filesOf(page).setInputFiles(series);
  await expect(titleOf(page)).toHaveText("vmstat.txt");
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText("pgscan_kswapd", { exact: true })).toBeVisible();
  await expect(timeline.getByText("273", { exact: true })).toBeVisible();
  const counters = page.getByRole("region", { name: "Counters of /proc/vmstat" });
  const row = counters.getByRole("row", { name: /^pgsteal_kswapd/ });
  await expect(row).toContainText("+195");
});

test("cancels reading and keeps the open machine", async ({ page }) => {
  await openHog(page);
  const long = join(made, "long-trace.txt");
  const line = (i: number) =>
    `  kswapd0-37  [000] .....  ${(10 + i / 1e4).toFixed(6)}: mm_vmscan_kswapd_wake: nid=0 order=0\n`;
  writeFileSync(long, Array.from({ length: 600_000 }, (_, i) => line(i)).join(""));
  await filesOf(page).setInputFiles(long);
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await expect(titleOf(page)).toHaveText(/hog/);
  // The open capture still answers.
  await logOf(page).getByRole("searchbox").fill("shrink_inactive nr_ref_keep=7");
  await expect(logOf(page).getByRole("status").filter({ hasText: /event/ })).toContainText(
    /[\d,]+ of [\d,]+ events/,
  );
});

test("keeps the open capture when a truncated or an unknown file is opened", async ({ page }) => {
  await openHog(page);
  const foreign = join(made, "picture.png");
  writeFileSync(foreign, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0, 0, 0, 0, 1]));
  await filesOf(page).setInputFiles(foreign);
  const refused = page.getByRole("alert");
  await expect(refused).toContainText("picture.png was not opened");
  await expect(refused).toContainText("It is not a text file");
  await expect(titleOf(page)).toHaveText(/hog/);

  const whole = readFileSync(join(fixtures, "hog", "trace.txt.gz"));
  const truncated = join(made, "trace.txt.gz");
  writeFileSync(truncated, whole.subarray(0, whole.length / 2));
  await filesOf(page).setInputFiles(truncated);
  await expect(titleOf(page)).toHaveText("trace.txt");
  await page.getByText(/not read$/).click();
  await expect(page.getByText(/trace\.txt\.gz:\d+/)).toBeVisible();
  await expect(page.getByText(/ends too early/)).toBeVisible();
});

test("runs the twin of a capture beside it and names the first difference", async ({ page }) => {
  await openHog(page);
  await page.getByRole("button", { name: "Run the twin" }).click();
  const twin = page.getByRole("region", { name: "The same run, simulated" });
  await expect(twin.getByRole("progressbar")).toBeVisible();
  await quick
    .configure({ timeout: 150_000 })(twin)
    .toContainText(/First difference|No sampled/);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText("0/DMA32 twin", { exact: true })).toBeVisible();
  const counters = page.getByRole("table").filter({ hasText: "Twin / machine" });
  await expect(counters.getByRole("row").nth(1)).toContainText(/\d\.\d\d/);

  const status = logOf(page).getByRole("status").filter({ hasText: /event/ });
  const ofMachine = (await status.textContent()) ?? "";
  await page.getByRole("radio", { name: "Events of its twin" }).check();
  await expect(status).not.toHaveText(ofMachine);
  const rows = page.getByRole("grid", { name: "Events" }).getByRole("row");
  await expect(rows.filter({ hasText: /hog\/1|kswapd0/ }).first()).toBeVisible();
  await page.getByRole("radio", { name: "Events of the real machine" }).check();
  await expect(status).toContainText("to #3,988.");
  await page.getByRole("radio", { name: "Events of its twin" }).check();
  await page.getByRole("link", { name: "Open the twin in the workbench" }).click();
  await expect(page).toHaveURL(/#\/workbench/);
  await expect(titleOf(page)).toContainText(/hog/);
});
