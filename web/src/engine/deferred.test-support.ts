// An answer that comes when a test says so.

/** A promise, and what settles it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** An answer that has not come yet. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | null = null;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error("a promise begins at once");
  return { promise, ...(settle as Omit<Deferred<T>, "promise">) };
}
