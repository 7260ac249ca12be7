// Detects whether a worker is alive. The worker holds a lock for its whole life. The browser grants
// the lock to the page once the worker has ended, for whatever reason, and never before. A busy
// worker can therefore not be mistaken for a dead one.

/** The part of the browser's locks that is used here; a page without HTTPS has none. */
export type Locks = Pick<LockManager, "request">;

const NEVER = new Promise<never>(() => {});

/** The locks of this page or worker. */
export const browserLocks = (): Locks | null => globalThis.navigator?.locks ?? null;

/** Takes a lock for the life of this worker, and reports its name once it is held. */
export function holdLife(tell: (lock: string) => void, locks: Locks | null): void {
  if (!locks) return;
  const name = `mmscope engine ${crypto.randomUUID()}`;
  const held = locks.request(name, () => {
    tell(name);
    return NEVER;
  });
  // If locks are denied, the page pings the worker instead.
  held.catch(() => {});
}

/** Calls back once the worker that holds a lock has ended; returns a function that stops
 * waiting. */
export function whenEnded(lock: string, ended: () => void, locks: Locks): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  locks
    .request(lock, { signal }, () => {
      if (!signal.aborted) ended();
    })
    // The wait was cancelled, or the browser grants no locks to a page that is closing.
    .catch(() => {});
  return () => waiting.abort();
}
