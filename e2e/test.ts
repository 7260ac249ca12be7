// The `test` of every journey: most share a browser context with the journeys before them.

import { type BrowserContext, test as base } from "@playwright/test";

export * from "@playwright/test";

interface Options {
  /**
   * "again": the browser has been on the page before, so that files and the compiled engine are in its
   * cache, but has nothing stored. "first": a browser context of its own, for journeys about first
   * visits and for those that set other options of a context.
   */
  readonly visit: "first" | "again";
}

/** A worker's shared context, once a journey has made it. */
interface Shared {
  context?: BrowserContext;
}

/** What every journey imports in the place of Playwright's own `test`. */
export const test = base.extend<Options, { shared: Shared }>({
  visit: ["again", { option: true }],
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from a pattern
    async ({}, use) => {
      const shared: Shared = {};
      await use(shared);
      await shared.context?.close();
    },
    { scope: "worker" },
  ],
  context: async ({ browser, shared, visit, serviceWorkers, baseURL }, use) => {
    if (visit === "first" || serviceWorkers === "allow") {
      const own = await browser.newContext();
      await use(own);
      await own.close();
      return;
    }
    shared.context ??= await browser.newContext();
    await forget(shared.context, new URL(baseURL ?? "").origin);
    await use(shared.context);
    // What a journey leaves open must not disturb the next, nor hold its data.
    for (const page of shared.context.pages()) await page.close();
  },
  page: async ({ context }, use) => {
    await use(context.pages()[0] ?? (await context.newPage()));
  },
});

/** Removes all that the browser keeps of the journeys before, except its cache of files. */
async function forget(context: BrowserContext, origin: string): Promise<void> {
  for (const page of context.pages()) await page.close();
  await context.unrouteAll();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  // This page is the journey's, so that none is made for this alone.
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  // Local storage, IndexedDB, private files, caches of service workers; a page's session ends with it.
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
}
