import { readFileSync } from "node:fs";
import { type Page, expect as quick, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";

/** The engine marks the answers, which takes longer on a busy machine. */
const expect = quick.configure({ timeout: 30_000 });
test.describe.configure({ timeout: 90_000 });

const LESSON = "watermarks-and-kswapd";

/** A file of answers by another person, as the page saves it. */
const fileOf = (name: string, given: Record<string, string>) => ({
  name: `${name}.json`,
  mimeType: "application/json",
  buffer: Buffer.from(
    JSON.stringify({
      format: "mmscope progress",
      v: 1,
      name,
      saved: "2026-11-27T10:00:00Z",
      lessons: { [LESSON]: { given, settings: {}, built: {}, visited: [], current: null } },
    }),
  ),
});

/** Saves the answers under a name and returns the file. */
async function save(page: Page, name: string) {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save my answers" }).press("Enter");
  const download = await waiting;
  return { name: download.suggestedFilename(), buffer: readFileSync(await download.path()) };
}

test("saves answers as a file and makes a table of many files", async ({ page, baseURL }) => {
  const sent: string[] = [];
  page.on("request", (request) => {
    const isOwn = request.method() === "GET" && request.url().startsWith(baseURL ?? "");
    if (!isOwn && !/^(blob|data):/.test(request.url())) sent.push(request.url());
  });
  await page.goto(`./#/lesson/${LESSON}`);
  const ask = page.getByRole("region", { name: "Prediction", exact: true }).first();
  await ask.getByRole("radio", { name: /^The player itself/ }).check();
  await ask.getByRole("button", { name: "Run it" }).click();
  await expect(ask.getByText("Right.")).toBeVisible();
  const own = await save(page, "Ada");
  expect(own.name).toBe("Ada.mmscope-progress.json");
  expect(JSON.parse(own.buffer.toString())).toMatchObject({
    format: "mmscope progress",
    name: "Ada",
    lessons: { [LESSON]: { given: { "who/10/1": "player" } } },
  });

  await page.getByRole("link", { name: "on the class page" }).press("Enter");
  await expect(page.getByRole("textbox", { name: "Your name" })).toHaveValue("Ada");
  await expect(page.getByText("your answers to 1 lesson")).toBeVisible();
  const asked = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add files" }).press("Enter");
  await (await asked).setFiles([
    { ...own, mimeType: "application/json" },
    fileOf("Bob", { "who/10/1": "kswapd", "luck/100/1": "yes" }),
    { name: "essay.json", mimeType: "application/json", buffer: Buffer.from("Dear teacher") },
  ]);
  await expect(page.getByRole("alert")).toContainText(/essay\.json: Line 1: /);
  const rows = page.locator(".class-table tbody tr");
  const answered = (row: number, cell: number) => rows.nth(row).getByRole("cell").nth(cell);
  await expect(rows).toHaveCount(2);
  await expect(answered(0, 0)).toHaveText("1/3");
  await expect(answered(0, 1)).toHaveText("1/3");
  await expect(answered(1, 0)).toHaveText("2/3");
  await expect(answered(1, 1)).toHaveText("1/3");
  await expect(page.getByText("…")).toHaveCount(0);
  await axeFindsNothing(page);

  // By keyboard: the heading sorts and announces the order.
  const heading = page.getByRole("columnheader", { name: "Answered" }).first();
  await heading.getByRole("button").press("Enter");
  await expect(heading).toHaveAttribute("aria-sort", "descending");
  await expect(rows.first().getByRole("rowheader")).toHaveText("Bob");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).press("Enter");
  const csv = readFileSync(await (await waiting).path(), "utf8");
  expect(csv).toMatch(/\r\nBob,2,3,1,3,0,0,2,3,1,3,,\r\nAda,1,3,1,3,/);

  await page.getByRole("button", { name: "Remove Bob" }).press("Enter");
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(rows).toHaveCount(2);
  await page.reload();
  await expect(rows).toHaveCount(2);
  await expect(answered(0, 1)).toHaveText("1/3");
  expect(sent).toEqual([]);
});

test("adds files that are dropped on the page", async ({ page }) => {
  await page.goto("./#/class");
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type: "application/json" }));
      return transfer;
    },
    ["cy.json", fileOf("Cy", { "who/10/1": "player" }).buffer.toString()] as const,
  );
  const room = page.locator(".drop-room");
  await room.dispatchEvent("dragover", { dataTransfer: data });
  await expect(room).toHaveAttribute("data-over");
  await room.dispatchEvent("drop", { dataTransfer: data });
  await expect(page.getByRole("rowheader", { name: "Cy" })).toBeVisible();
});
