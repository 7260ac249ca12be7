// Stores all files of one version of the page and serves them. A newer version waits until the page
// activates it. A tab that still shows an earlier version continues with that version's files.

import { PrecacheController, type PrecacheEntry, PrecacheRoute } from "workbox-precaching";
import { cacheOf, cachesOfOthers, PAGE_BEGAN, showAll } from "./versions";

declare const self: ServiceWorkerGlobalScope & {
  /** Every file of the page; the build writes them here. */
  readonly __FILES: PrecacheEntry[];
};

const files = self.__FILES;
const { scope } = self.registration;
const cacheName = cacheOf(scope, files);
const precache = new PrecacheController({ cacheName });
precache.addToCacheList(files);
const route = new PrecacheRoute(precache);

self.addEventListener("install", (event) => {
  event.waitUntil(takeUnchanged().then(() => precache.install(event)));
});
// Also serves the page that installed this worker, so that later files come from the cache.
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(self.skipWaiting());
  if (event.data === PAGE_BEGAN) event.waitUntil(forgetOthers());
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const sameOrigin = url.origin === self.location.origin;
  if (!sameOrigin || request.method !== "GET") return;
  const params = route.match({ url, request, event, sameOrigin });
  if (params) event.respondWith(route.handler.handle({ url, request, event, params }));
  else if (url.href.startsWith(`${scope}assets/`)) event.respondWith(ofAnyVersion(request));
});

/** A file with a hash in its name is the same in every version: it is copied, not fetched again. */
async function takeUnchanged(): Promise<void> {
  const cache = await caches.open(cacheName);
  for (const { url, revision } of files) {
    if (revision) continue;
    const there = await caches.match(new URL(url, scope).href, { ignoreVary: true });
    if (there) await cache.put(new URL(url, scope).href, there);
  }
}

/** A file of an earlier version, for a tab that still shows that version. */
async function ofAnyVersion(request: Request): Promise<Response> {
  return (await caches.match(request.url, { ignoreVary: true })) ?? fetch(request);
}

/** Deletes the files of other versions if no tab shows one. */
async function forgetOthers(): Promise<void> {
  // The caches are listed first, so that a version installed meanwhile keeps its cache.
  const others = cachesOfOthers(await caches.keys(), scope, cacheName);
  if (others.length === 0) return;
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const own = new Set(precache.getURLsToCacheKeys().keys());
  if (!(await showAll(tabs, scope, own))) return;
  const { installing, waiting } = self.registration;
  if (installing || waiting) return;
  await Promise.all(others.map((name) => caches.delete(name)));
}
