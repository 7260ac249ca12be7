import { readFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { canZoom, choose, goToMoment, isAt, numbersOf, settled, stepOn } from "./journey";
import { fileFrom, openShare, shareOf } from "./keep";
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

test("the link can be copied by hand if the clipboard is denied", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await openFirst(page);
  await page.keyboard.press("s");
  await expect(page.getByRole("textbox", { name: "Link" })).toHaveValue(/x=/);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText(/denies access to the clipboard/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Link" })).toBeFocused();
});

test("a link from an older engine opens at the same time and says so", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const document = documentOf(page.url());
  const cursor = { ...(document.cursor as object), engine: "0.0.1" };
  await page.goto("about:blank");
  await page.goto(`./#/workbench?x=${pack(JSON.stringify({ ...document, cursor }))}`);
  await expect(
    page.getByText(/made with engine 0\.0\.1, and this page runs the newer/).first(),
  ).toBeVisible({
    timeout: 20_000,
  });
});

test("says that the state of a link differs", async ({ page }) => {
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

test("saves the timeline as a picture", async ({ page }) => {
  await openFirst(page);
  const { step } = await cursorOf(page);
  const chart = page.locator("svg.chart");
  const box = await settled(() => chart.boundingBox());
  const [width, height] = [Math.ceil(box?.width ?? 0), Math.ceil(box?.height ?? 0)];
  const zones = await chart.locator(".lane:not(.task)").count();
  const tasks = await chart.locator(".lane.task text").allTextContents();
  expect(tasks).toContain("touch/1");
  await openShare(page);
  const picture = (kind: string) => saved(page, "The timeline", kind);
  const { name, content } = await picture("SVG");
  expect(name).toBe(`mmscope-step-${step}-timeline.svg`);
  const svg = content.toString();
  expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
  expect(svg).not.toContain("var(");
  expect(svg).not.toContain("class=");
  expect(svg.match(/<text[^>]*>\d\/\w+</g)?.length ?? 0).toBe(zones);
  for (const task of tasks) expect(svg).toContain(`>${task}<`);
  const { name: other, content: png } = await picture("PNG");
  expect(other).toBe(`mmscope-step-${step}-timeline.png`);
  expect(sizeOf(png)).toEqual([2 * width, 2 * height]);
  expect(png.length).toBeGreaterThan(4000);
});

/** Saves a part of the page from the open Share dialog. */
async function saved(page: Page, part: string, kind: string) {
  const waiting = page.waitForEvent("download");
  const row = shareOf(page).getByRole("group", { name: part });
  await row.getByRole("button", { name: kind, exact: true }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

/** Width and height of a PNG. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

/** The margin of a machine's picture; it has twice the pixels of the screen. */
const MARGIN = 16;
const FINE = 2;

/** The share of pixels in which a PNG differs from a screenshot of the same part. */
const difference = (page: Page, screenshot: Buffer, png: Buffer) =>
  page.evaluate(
    async ([shot, saved, margin, fine]) => {
      const decode = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        return createImageBitmap(new Blob([bytes], { type: "image/png" }));
      };
      const seen = await decode(shot);
      const { width, height } = seen;
      const pixels = (image: ImageBitmap, offset: number, scale: number) => {
        const g = new OffscreenCanvas(width, height).getContext("2d");
        if (!g) throw new Error("there is no canvas");
        g.drawImage(image, -offset, -offset, image.width / scale, image.height / scale);
        return g.getImageData(0, 0, width, height).data;
      };
      const [a, b] = [pixels(seen, 0, 1), pixels(await decode(saved), margin, fine)];
      let apart = 0;
      for (let i = 0; i < a.length; i += 4)
        if ([0, 1, 2].some((j) => Math.abs((a[i + j] ?? 0) - (b[i + j] ?? 0)) > 96)) apart += 1;
      return apart / (width * height);
    },
    [screenshot.toString("base64"), png.toString("base64"), MARGIN, FINE] as const,
  );

test("saves a picture of the machine as displayed, with a margin", async ({ page }) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  const step = await goToMoment(page, "hogReclaims");
  await canZoom(page);
  const stage = page.getByRole("main").locator(".machine");
  const { width, height } = await settled(
    async () => (await stage.boundingBox()) ?? { width: 0, height: 0 },
  );
  const screenshot = await stage.screenshot();
  await openShare(page);

  const { name, content } = await saved(page, "The machine", "PNG");
  expect(name).toBe(`mmscope-step-${step}-machine.png`);
  const [across, down] = sizeOf(content);
  expect(across).toBe(FINE * (Math.round(width) + 2 * MARGIN));
  expect(down).toBeGreaterThan(FINE * (height + 2 * MARGIN));
  // At twice the resolution, letters have other edges; another font would change a tenth of all pixels.
  expect(await difference(page, screenshot, content)).toBeLessThan(0.01);
});

test("the timeline shows the same samples as a table and as CSV as the machine", async ({
  page,
}) => {
  await openFirst(page);
  await choose(page, /^A hog that must swap, teaching size/);
  await page.getByRole("button", { name: "Counters" }).click();
  const tracks = page.getByRole("dialog", { name: "Counters over time" });
  await tracks.getByRole("checkbox", { name: /only counters/ }).uncheck();
  await tracks.getByRole("searchbox", { name: "Find a counter" }).fill("pgfault");
  await tracks.getByRole("checkbox", { name: /^pgfault/ }).check();
  await tracks.getByRole("button", { name: "Close" }).click();
  await expect(tracks).toBeHidden();
  await openShare(page);
  const row = shareOf(page).getByRole("group", { name: "The timeline" });
  const { name, text } = await fileFrom(page, row.getByRole("button", { name: "CSV" }));
  expect(name).toBe("mmscope-anon-hog.teach-6.1-timeline.csv");
  const [head = [], ...moments] = text
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  expect(head.slice(0, 3)).toEqual(["step", "time_ns", "free_pages 0/DMA"]);
  expect(head).toEqual(expect.arrayContaining(["pgfault", "task kswapd0", "task hog/1"]));

  await row.getByRole("button", { name: "Table", exact: true }).click();
  const table = page.getByRole("dialog", { name: "The timeline as a table" });
  const links = table.getByRole("button", { name: /^Go to step/ });
  await expect(links).toHaveCount(moments.length);
  const middle = Math.floor(moments.length / 2);
  const cells = moments[middle] ?? [];
  const step = Number(cells[0]);
  const shown = await table
    .getByRole("row")
    .filter({
      has: page.getByRole("button", {
        name: `Go to step ${step.toLocaleString("en-GB")}`,
        exact: true,
      }),
    })
    .getByRole("cell")
    .allTextContents();
  expect(shown.slice(1).map((cell) => cell.replaceAll(",", ""))).toEqual(cells.slice(2));
  await links.nth(middle).click();
  await expect(table).toBeHidden();
  await isAt(page, step);
  const column = (title: string) => Number(cells[head.indexOf(title)]);
  for (const [zone, title] of [
    ["DMA32 on node 0", "0/DMA32"],
    ["Normal on node 1", "1/Normal"],
  ]) {
    const tank = page.getByRole("img", { name: new RegExp(`^Zone ${zone}: `) }).first();
    const label = (await tank.getAttribute("aria-label")) ?? "";
    expect(numbersOf(label.split(": ")[1] ?? "")[0]).toBe(column(`free_pages ${title}`));
  }
  await page.getByRole("tab", { name: "Values" }).click();
  await page.getByRole("searchbox", { name: "Find a counter" }).fill("pgfault");
  const counter = page
    .getByRole("table", { name: "Counters" })
    .getByRole("row", { name: /^pgfault/ });
  await expect(counter.getByRole("cell").first()).toHaveText(
    column("pgfault").toLocaleString("en-GB"),
  );
});

test("a link pasted while the page saves its address still opens", async ({ page }) => {
  await openFirst(page);
  await cursorOf(page);
  const x = pack(JSON.stringify({ v: 3, preset: "run-out.teach", title: "Theirs" }));
  await page.evaluate((packed) => {
    const mine = location.hash;
    location.hash = `#/workbench?x=${packed}`;
    // The browser reports the new address only after this.
    history.replaceState(null, "", mine);
  }, x);
  await expect(page.getByRole("region", { name: "About this moment" })).toContainText("Theirs");
  await expect.poll(() => documentOf(page.url()).title).toBe("Theirs");
});
