// What the browser knows and says when it changes: asked once, not by everybody who shows it.
// Most such questions make the browser work out styles for all that was built since, so asking
// while the page is being built, or again after each change of it, is the longest part of both.

/** A value with the way to hear of its changes, as `useSyncExternalStore` wants them. */
export interface Watched<T> {
  readonly subscribe: (changed: () => void) => () => void;
  /** As last read; the same until the browser tells of a change. */
  readonly known: () => T;
}

/**
 * Shares one reading of a value among all who want it.
 * @param read asks the browser
 * @param listen calls back when it may be another, until what it gives is called
 * @param isSame are two readings the same value?
 */
export function watched<T>(
  read: () => T,
  listen: (changed: () => void) => () => void,
  isSame: (a: T, b: T) => boolean = Object.is,
): Watched<T> {
  const listeners = new Set<() => void>();
  let last: { value: T } | null = null;
  let stop = () => {};

  const reread = () => {
    const value = read();
    if (last && isSame(last.value, value)) return;
    last = { value };
    for (const listener of listeners) listener();
  };

  return {
    known: () => {
      last ??= { value: read() };
      return last.value;
    },
    subscribe: (changed) => {
      if (listeners.size === 0) stop = listen(reread);
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
        if (listeners.size > 0) return;
        stop();
        // Nobody hears of changes any more.
        last = null;
      };
    },
  };
}
