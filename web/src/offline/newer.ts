// Starts the service worker, watches for a newer version of the page, and for parts of this version
// that fail to load.

import { PAGE_BEGAN, WHICH_PAGE } from "./versions";

/** Time between two checks for a newer version, which happen when the page becomes visible, ms. */
const ASK_EVERY_MS = 3_600_000;
/** The service worker starts when the browser is idle, at the latest after this time, ms. */
const START_WITHIN_MS = 5000;

/**
 * Messages for the user: a newer version is available, or a part of the page failed to load, and
 * whether another tab uses a newer version.
 */
export type News =
  | { readonly kind: "newer" }
  | { readonly kind: "missing"; readonly isReplaced: boolean };

/** Whether a newer version of the page waits, and whether this version is complete. */
export class Newer {
  #waiting: ServiceWorker | null = null;
  #news: News | null = null;
  #isReplaced = false;
  #isTaking = false;
  readonly #listeners = new Set<() => void>();
  readonly #container: ServiceWorkerContainer | null;
  readonly #reload: () => void;

  /** Without a container there is no service worker: the page then needs a network. */
  constructor(container: ServiceWorkerContainer | null, reload: () => void) {
    this.#container = container;
    this.#reload = reload;
    let controller = container?.controller ?? null;
    container?.addEventListener("controllerchange", () => {
      // The first service worker does not replace another one.
      if (controller && !this.#isTaking) this.#isReplaced = true;
      controller = container.controller;
    });
    container?.addEventListener("message", ({ data, ports }) => {
      if (data === WHICH_PAGE) ports[0]?.postMessage(firstScript());
    });
    // Vite's loader sends this event before the failure reaches the caller.
    addEventListener("vite:preloadError", () => this.#missing());
  }

  /** The present message, if any. */
  readonly news = (): News | null => this.#news;

  /** Calls back when there is a new message. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  /** Starts the service worker; if the browser refuses, the page works without one. */
  async start(script: string): Promise<void> {
    const registration = await this.#container?.register(script).catch(() => undefined);
    if (!registration) return;
    registration.active?.postMessage(PAGE_BEGAN);
    if (registration.waiting) this.#found(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const installing = registration.installing;
      installing?.addEventListener("statechange", () => {
        if (installing.state === "installed") this.#found(installing);
      });
    });
    let asked_ms = performance.now();
    document.addEventListener("visibilitychange", () => {
      const now = performance.now();
      if (document.visibilityState === "hidden" || now - asked_ms < ASK_EVERY_MS) return;
      asked_ms = now;
      registration.update().catch(() => {});
    });
  }

  /** Activates the newer version and reloads the page with it. */
  take(): void {
    const waiting = this.#waiting;
    // Another tab may have activated it already.
    if (waiting?.state !== "installed") {
      this.#reload();
      return;
    }
    this.#isTaking = true;
    this.#container?.addEventListener("controllerchange", () => this.#reload(), { once: true });
    waiting.postMessage("take over");
  }

  #found(worker: ServiceWorker) {
    // The first version replaces no other.
    if (!this.#container?.controller) return;
    this.#waiting = worker;
    this.#tell(this.#news ?? { kind: "newer" });
  }

  #missing() {
    this.#tell({ kind: "missing", isReplaced: this.#isReplaced || this.#waiting !== null });
  }

  #tell(news: News) {
    this.#news = news;
    for (const listener of this.#listeners) listener();
  }
}

const firstScript = () =>
  document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src ?? "";

/** Null if the browser has no service workers, or denies them to this page. */
function containerOf(): ServiceWorkerContainer | null {
  try {
    return navigator.serviceWorker ?? null;
  } catch {
    return null;
  }
}

/** Starts the service worker of a built page, and watches for news. */
export function startOffline(): Newer {
  const container = import.meta.env.PROD ? containerOf() : null;
  const newer = new Newer(container, () => location.reload());
  if (!container) return newer;
  const start = () => void newer.start("./offline.js");
  const whenIdle = () =>
    typeof requestIdleCallback === "function"
      ? requestIdleCallback(start, { timeout: START_WITHIN_MS })
      : setTimeout(start, START_WITHIN_MS);
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle, { once: true });
  return newer;
}
