import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { dist } from "../scripts/lib/project.mjs";
import { listen, staticServer } from "../scripts/lib/server.mjs";
import { isAt, stepOn } from "./journey";

test.use({ serviceWorkers: "allow" });

/** Waits until the browser has cached the page and its service worker answers. */
const isCached = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    return active?.state === "activated" && navigator.serviceWorker.controller !== null;
  });

test("home, workbench and a lesson work without a network after one visit", async ({
  page,
  context,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto("./");
  await expect(page.getByText(/not above low \(/).first()).toBeVisible({ timeout: 20_000 });
  await expect.poll(() => isCached(page)).toBe(true);

  await context.setOffline(true);
  await page.reload();
  await expect(page.getByText(/not above low \(/).first()).toBeVisible({ timeout: 20_000 });
  await page.goto("./#/workbench");
  await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
  await stepOn(page);
  await page.getByRole("button", { name: "Keys and help" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goto("./#/lesson/watermarks-and-kswapd");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
  expect(complaints).toEqual([]);
});

/** Changes the hash in the name of every file of a build, as a changed build has. */
function changeBuild(folder: string) {
  const assets = join(folder, "assets");
  const changed = (name: string) =>
    name.replace(
      /(-[\w-]{7})([\w-])(\.\w+)$/,
      (_, begin, last, end) => `${begin}${last === "0" ? "1" : "0"}${end}`,
    );
  const names = readdirSync(assets);
  for (const name of names) renameSync(join(assets, name), join(assets, changed(name)));
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of all.filter((one) => /\.(js|css|html)$/.test(one))) {
    const file = join(folder, name);
    const text = names.reduce(
      (before, one) => before.replaceAll(one, changed(one)),
      readFileSync(file, "utf8"),
    );
    writeFileSync(file, text.replace(/"revision":"\w{8}/g, '"revision":"00000000'));
  }
}

test("a tab keeps its version after another tab has switched to a newer one", async ({
  page,
  context,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "mmscope-versions-"));
  cpSync(dist, folder, { recursive: true });
  const server = staticServer({ folder, base: "/two/tabs/" });
  const port = await listen(server, { port: 0 });
  const url = `http://127.0.0.1:${port}/two/tabs/`;
  const complaints: string[] = [];
  try {
    await page.goto(`${url}#/workbench`);
    await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
    await expect.poll(() => isCached(page)).toBe(true);
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    const scriptOf = (of: Page) =>
      of.evaluate(() => document.querySelector<HTMLScriptElement>("script[type=module]")?.src);
    const before = await scriptOf(page);

    changeBuild(folder);
    const other = await context.newPage();
    await other.goto(`${url}#/workbench`);
    await other.evaluate(async () => void (await navigator.serviceWorker.ready).update());
    await other.getByRole("button", { name: "Reload now" }).click();
    await expect.poll(() => scriptOf(other).catch(() => before)).not.toBe(before);
    await expect(other.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });

    // The server no longer has the files of the first version, but its cache still does.
    expect((await context.request.get(before ?? "")).status()).toBe(404);
    await page.bringToFront();
    await page.keyboard.press("e");
    await expect(page.getByRole("region", { name: "Event log" })).toBeVisible();
    await page.keyboard.press("Shift+Slash");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.goto(`${url}#/lesson/watermarks-and-kswapd`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
    expect(await scriptOf(page)).toBe(before);
    expect(complaints).toEqual([]);

    // When no tab shows the first version, its files are deleted.
    const caches_ = () => other.evaluate(async () => (await caches.keys()).length);
    expect(await caches_()).toBe(2);
    await page.reload();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible({ timeout: 20_000 });
    await expect.poll(caches_).toBe(1);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test.describe("without a service worker", () => {
  // A service worker would answer from its cache where the network must fail.
  test.use({ serviceWorkers: "block" });

  test("reports a part that does not load, offers a reload, and loses nothing", async ({
    page,
  }) => {
    await page.route(/assets\/LogPanel.*$/, (route) => route.abort());
    await page.goto("./#/workbench");
    await expect(page.getByRole("button", { name: "Into" })).toBeEnabled({ timeout: 20_000 });
    const step = await stepOn(page, 3);
    await page.keyboard.press("e");
    const notice = page.getByRole("alert").filter({ hasText: "Part of this page did not load" });
    await expect(notice).toContainText("Your work is saved.");
    await page.unroute(/assets\/LogPanel.*$/);
    await notice.getByRole("button", { name: "Reload" }).click();
    await isAt(page, step);
    await expect(notice).toHaveCount(0);
  });
});
