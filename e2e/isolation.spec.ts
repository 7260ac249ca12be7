// Journeys share a browser context: nothing of one may reach the next. These two run in this order.

import { type BrowserContext, expect, type Page, test } from "./test";

test.describe.configure({ mode: "serial" });

/** What is found in every store of the browser. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return {
      local: Object.keys(localStorage).filter((key) => key.startsWith("left")),
      session: Object.keys(sessionStorage).filter((key) => key.startsWith("left")),
      databases: (await indexedDB.databases()).map(({ name }) => name).filter((n) => n === "left"),
      caches: (await caches.keys()).filter((key) => key === "left"),
      files: files.filter((name) => name === "left"),
      cookie: document.cookie,
      permission: (await navigator.permissions.query({ name: "geolocation" })).state,
      name: window.name,
      isOnLine: navigator.onLine,
    };
  });

const LEFT = {
  local: ["left"],
  session: ["left"],
  databases: ["left"],
  caches: ["left"],
  files: ["left"],
  cookie: "left=1",
  permission: "granted",
  name: "left",
  isOnLine: true,
};

let before: BrowserContext | undefined;

test("a journey leaves something in every store, and a second tab", async ({ page, context }) => {
  before = context;
  await context.grantPermissions(["geolocation"]);
  await context.newPage();
  await page.goto("./");
  await page.evaluate(async () => {
    localStorage.setItem("left", "1");
    sessionStorage.setItem("left", "1");
    // biome-ignore lint/suspicious/noDocumentCookie: the plain way, in a journey
    document.cookie = "left=1";
    window.name = "left";
    await new Promise((resolve) => {
      const asked = indexedDB.open("left");
      asked.onsuccess = resolve;
    });
    await (await caches.open("left")).put("/left", new Response("1"));
    await (await navigator.storage.getDirectory()).getFileHandle("left", { create: true });
  });
  expect(await stored(page)).toEqual(LEFT);
  await context.route("**/*", (route) => route.abort());
  await context.setOffline(true);
});

test("the next finds nothing of it, in the same browser context", async ({ page, context }) => {
  expect(context).toBe(before);
  expect(context.pages()).toEqual([page]);
  await page.goto("./");
  expect(await stored(page)).toEqual({
    local: [],
    session: [],
    databases: [],
    caches: [],
    files: [],
    cookie: "",
    permission: "prompt",
    name: "",
    isOnLine: true,
  });
});

test.describe("a first visit", () => {
  test.use({ visit: "first" });

  test("has a browser context of its own", ({ context }) => {
    expect(context).not.toBe(before);
  });
});
