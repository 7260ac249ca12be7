import { type Browser, expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import { fileFrom, leave, openShare, shareOf } from "./keep";
import { documentOf, openFirst, pack } from "./links";

const checkOf = (page: Page) => page.getByRole("region", { name: "Result of the link" });

/** Adds a result to the link of the open moment and returns the link. */
async function linkWithResult(page: Page, button: string): Promise<string> {
  const share = await openShare(page);
  await share.getByRole("button", { name: button }).click();
  await expect(share.getByText(/^The link carries the result/)).toBeVisible({ timeout: 60_000 });
  const field = share.getByRole("textbox", { name: "Link" });
  await expect.poll(async () => "result" in documentOf(await field.inputValue())).toBe(true);
  const link = await field.inputValue();
  await leave(page);
  return link;
}

async function elsewhere(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  return page;
}

/** A link with another document. */
const changed = (link: string, change: (document: Record<string, unknown>) => unknown): string =>
  `${link.split("x=")[0]}x=${pack(JSON.stringify(change(documentOf(link))))}`;

test("reproduces a link with the result of the whole run in another browser", async ({
  page,
  browser,
}) => {
  await openFirst(page);
  const link = await linkWithResult(page, "Add the result of the whole run");
  const { result } = documentOf(link) as { result: { ended: boolean; figures: unknown[] } };
  expect(result.ended).toBe(true);
  expect(result.figures.length).toBeGreaterThan(0);
  const other = await elsewhere(browser, link);
  await expect(checkOf(other)).toContainText("Reproduced", { timeout: 60_000 });
  await expect(checkOf(other)).toContainText("The engine is the same build.");
  await axeFindsNothing(other);
  await checkOf(other).getByRole("button", { name: "Dismiss" }).click();
  await expect(checkOf(other)).toHaveCount(0);
  await other.context().close();
});

test("names the values that differ when the result in a link is wrong", async ({
  page,
  browser,
}) => {
  await openFirst(page);
  const link = await linkWithResult(page, "Add the result at this moment");
  const wrong = changed(link, (document) => {
    const result = document.result as { figures: [string, number][] };
    const [[name = "", value = 0] = [], ...rest] = result.figures;
    return {
      ...document,
      result: {
        ...result,
        hash: "0000000000000000",
        engine: "0.0.1",
        figures: [[name, value + 1], ...rest],
      },
    };
  });
  const other = await elsewhere(browser, wrong);
  await expect(checkOf(other)).toContainText("Differs", { timeout: 60_000 });
  await expect(checkOf(other)).toContainText("made with engine 0.0.1");
  await expect(checkOf(other).getByRole("row", { name: /state hash/ })).toContainText(
    "0000000000000000",
  );
  await expect(checkOf(other).getByRole("row")).toHaveCount(3);
  await axeFindsNothing(other);
  await other.context().close();
});

test("names an error in a result and opens nothing", async ({ page, browser }) => {
  await openFirst(page);
  const link = await linkWithResult(page, "Add the result at this moment");
  const bad = changed(link, (document) => ({
    ...document,
    result: { ...(document.result as object), hash: "no hash" },
  }));
  const other = await elsewhere(browser, bad);
  await expect(other.getByText("result.hash")).toBeVisible({ timeout: 20_000 });
  await expect(checkOf(other)).toHaveCount(0);
  await other.context().close();
});

test("saves a result as JSON and as a page with inputs, versions and hash", async ({ page }) => {
  await openFirst(page);
  const share = await openShare(page);
  const file = share.getByRole("group", { name: "Result as a file" });
  const json = await fileFrom(page, file.getByRole("button", { name: "JSON" }));
  const document = JSON.parse(json.text);
  expect(document).toMatchObject({ format: "mmscope result", position: { ended: false } });
  expect(document.hash).toMatch(/^[0-9a-f]{16}$/);
  expect(document.rests_on.functions.length).toBeGreaterThan(3);
  const html = await fileFrom(page, file.getByRole("button", { name: "HTML" }));
  expect(html.text).toContain(document.hash);
  await expect(shareOf(page)).toBeVisible();
});

test("the debugger lists the functions and constants that the run depends on", async ({ page }) => {
  await openFirst(page);
  await page.getByText("How true is this?").click();
  const part = page.getByRole("region", { name: "Models and constants of this run" });
  await part.getByText("Simplified functions that ran").click();
  await expect(part.getByText("get_page_from_freelist")).toBeVisible();
  await part.getByText("Constants that the run may have used").click();
  await expect(part.getByText("minor_fault")).toBeVisible();
});
