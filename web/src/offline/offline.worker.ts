// Keeps all files of one version of the page, and answers with them. A newer version waits until it is
// told to take over.

import { cleanupOutdatedCaches, type PrecacheEntry, precacheAndRoute } from "workbox-precaching";

declare const self: ServiceWorkerGlobalScope & {
  /** Every file of the page; the build writes them here. */
  readonly __FILES: PrecacheEntry[];
};

precacheAndRoute(self.__FILES);
cleanupOutdatedCaches();
// The page that brought it is answered, too: what it loads later is there without a network.
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", ({ data }) => {
  if (data === "take over") void self.skipWaiting();
});
