// Whether a worker is alive. It holds a lock for as long as it lives: the browser gives the lock to
// the page once the worker has ended, however that came, and never before. A worker that is busy
// cannot be taken for one that is dead.

/** What is needed of the browser's locks; a page without encryption has none. */
export type Locks = Pick<LockManager, "request">;

const NEVER = new Promise<never>(() => {});

/** The locks of this page or worker. */
export const browserLocks = (): Locks | null => globalThis.navigator?.locks ?? null;

/** Takes a lock for as long as this worker lives, and tells its name once it is held. */
export function holdLife(tell: (lock: string) => void, locks: Locks | null): void {
  if (!locks) return;
  const name = `mmscope engine ${crypto.randomUUID()}`;
  const held = locks.request(name, () => {
    tell(name);
    return NEVER;
  });
  // Where locks are denied the page asks for signs of life instead.
  held.catch(() => {});
}

/** Calls back once the worker that holds a lock has ended; gives what ends the waiting. */
export function whenEnded(lock: string, ended: () => void, locks: Locks): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  locks
    .request(lock, { signal }, () => {
      if (!signal.aborted) ended();
    })
    // Nobody waits any more, or the browser gives no locks to a page that is being closed.
    .catch(() => {});
  return () => waiting.abort();
}
