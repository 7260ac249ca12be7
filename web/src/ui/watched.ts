// Values of the browser that can change, each read once for all components that show it. Most reads
// make the browser compute styles for all elements added since. Reading while the page is built, or
// after each change, would take longer than anything else.

/** A value and its subscription, as `useSyncExternalStore` needs them. */
export interface Watched<T> {
  readonly subscribe: (changed: () => void) => () => void;
  /** The value as last read; the same until the browser reports a change. */
  readonly known: () => T;
}

/**
 * Shares one reading of a value among all its listeners.
 * @param read reads the value from the browser
 * @param listen calls back when the value may have changed, until its result is called
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
        // The last listener has left.
        last = null;
      };
    },
  };
}
