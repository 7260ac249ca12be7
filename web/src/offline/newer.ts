// Starts the service worker, and hears of a newer version of the page.

/** How long a page that is looked at again has not asked for a newer version, ms. */
const ASK_EVERY_MS = 3_600_000;
/** The first figure comes first; a page that never rests starts it all the same, ms. */
const START_WITHIN_MS = 5000;

/** Whether a newer version of the page waits. */
export class Newer {
  #waiting: ServiceWorker | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #container: ServiceWorkerContainer;
  readonly #reload: () => void;

  constructor(container: ServiceWorkerContainer, reload: () => void) {
    this.#container = container;
    this.#reload = reload;
  }

  /** A newer version is here and waits. */
  readonly isHere = (): boolean => this.#waiting !== null;

  /** Calls back when one comes. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  /** Starts the service worker; where that is refused the page works as without one. */
  async start(script: string): Promise<void> {
    const registration = await this.#container.register(script).catch(() => undefined);
    if (!registration) return;
    if (registration.waiting) this.#found(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => {
        if (coming.state === "installed") this.#found(coming);
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

  /** The newer version takes over, and the page begins anew with it. */
  take(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    // Another tab may have let it take over already.
    if (waiting.state !== "installed") {
      this.#reload();
      return;
    }
    this.#container.addEventListener("controllerchange", () => this.#reload(), { once: true });
    waiting.postMessage("take over");
  }

  #found(worker: ServiceWorker) {
    // The first version of all replaces none.
    if (!this.#container.controller) return;
    this.#waiting = worker;
    for (const listener of this.#listeners) listener();
  }
}

/** None where the browser has no service workers, or denies them to this page. */
function containerOf(): ServiceWorkerContainer | null {
  try {
    return navigator.serviceWorker ?? null;
  } catch {
    return null;
  }
}

/** What this page hears of newer versions; none where it works with a network only. */
export function startOffline(): Newer | null {
  const container = import.meta.env.PROD ? containerOf() : null;
  if (!container) return null;
  const newer = new Newer(container, () => location.reload());
  const start = () => void newer.start("./offline.js");
  const whenIdle = () =>
    typeof requestIdleCallback === "function"
      ? requestIdleCallback(start, { timeout: START_WITHIN_MS })
      : setTimeout(start, START_WITHIN_MS);
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle, { once: true });
  return newer;
}
