import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { stepOn } from "./journey";
import { cursorOf, documentOf, openFirst, pack } from "./links";

test("a shared link reproduces the moment in another browser", async ({
  page,
  browser,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openFirst(page);
  await cursorOf(page);
  const step = await stepOn(page, 3);
  const cursor = await cursorOf(page);
  expect(cursor.step).toBe(step);
  await page.getByRole("button", { name: "Share" }).click();
  const field = page.getByRole("textbox", { name: "Link" });
  await expect(field).toHaveValue(/x=/);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("Copied.")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(await field.inputValue());

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByText(/^Reproduced: step/).first()).toBeVisible({ timeout: 20_000 });
  expect(await cursorOf(elsewhere)).toEqual(cursor);
  await elsewhere.context().close();
});

test("the link can be copied by hand where the clipboard is denied", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await openFirst(page);
  await page.keyboard.press("s");
  await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(/x=/);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText(/denies the clipboard/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Link" })).toBeFocused();
});

test("a link by an older engine goes to the same time and says so", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const document = documentOf(page.url());
  const cursor = { ...(document.cursor as object), engine: "0.0.1" };
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ ...document, cursor }))}`);
  await expect(page.getByText(/made by engine 0\.0\.1; this one is newer/).first()).toBeVisible({
    timeout: 20_000,
  });
});

test("a link whose state differs says so", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const document = documentOf(page.url());
  const cursor = { ...(document.cursor as object), hash: "0123456789abcdef" };
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ ...document, cursor }))}`);
  await expect(page.getByText(/differs: its state hash is/).first()).toBeVisible({
    timeout: 20_000,
  });
});

test("the timeline is saved as a picture", async ({ page }) => {
  await openFirst(page);
  const { step } = await cursorOf(page);
  const chart = page.locator("svg.chart");
  const [width = "", height = ""] = await Promise.all(
    ["width", "height"].map((name) => chart.getAttribute(name)),
  ).then((both) => both.map((value) => value ?? ""));
  const zones = await chart.locator(".lane:not(.task)").count();
  const tasks = await chart.locator(".lane.task text").allTextContents();
  expect(tasks).toContain("kswapd0");
  await page.keyboard.press("s");
  const saved = async (kind: string) => {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: kind, exact: true }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe(
      `mmscope-step-${step}-timeline.${kind.toLowerCase()}`,
    );
    return readFileSync(await download.path());
  };
  const svg = (await saved("SVG")).toString();
  expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
  expect(svg).not.toContain("var(");
  expect(svg).not.toContain("class=");
  expect(svg.match(/<text[^>]*>\d\/\w+</g)?.length ?? 0).toBe(zones);
  for (const task of tasks) expect(svg).toContain(`>${task}<`);
  const png = await saved("PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
    2 * Number(width),
    2 * Math.floor(Number(height)),
  ]);
  expect(png.length).toBeGreaterThan(4000);
});

test("a link pasted in the moment the page saves opens all the same", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const x = pack(JSON.stringify({ v: 3, preset: "run-out.teach", title: "Theirs" }));
  await page.evaluate((packed) => {
    const mine = location.hash;
    location.hash = `#/workbench?x=${packed}`;
    // The browser tells of the new address only after this.
    history.replaceState(null, "", mine);
  }, x);
  await expect(page.getByRole("region", { name: "About this moment" })).toContainText("Theirs");
  await expect.poll(() => documentOf(page.url()).title).toBe("Theirs");
});
