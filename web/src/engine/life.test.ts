import { expect, test, vi } from "vitest";
import { holdLife, type Locks, whenEnded } from "./life";

/** The part of the browser's locks that is used here: one holds each lock, the others wait. */
class FakeLocks {
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #held = new Set<string>();

  request = ((name: string, ...rest: unknown[]) => {
    const [options, callback] = rest.length > 1 ? rest : [{}, rest[0]];
    const { signal } = options as { signal?: AbortSignal };
    const take = callback as () => void;
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("aborted")));
      const grant = () => {
        if (signal?.aborted) return;
        this.#held.add(name);
        take();
      };
      if (this.#held.has(name)) this.#queues.set(name, [...(this.#queues.get(name) ?? []), grant]);
      else grant();
    });
  }) as Locks["request"];

  /** The holder of the lock has ended. */
  release(name: string) {
    this.#held.delete(name);
    this.#queues.get(name)?.shift()?.();
  }
}

test("reports the end of a worker when the browser releases its lock, and not before", () => {
  vi.useFakeTimers();
  const locks = new FakeLocks();
  const [called, ended] = [vi.fn<(lock: string) => void>(), vi.fn()];
  holdLife(called, locks);
  expect(called).toHaveBeenCalledOnce();
  const lock = called.mock.calls[0]?.[0] ?? "";
  whenEnded(lock, ended, locks);
  // The worker is busy for an hour, or sleeps with the whole machine: it is alive.
  vi.advanceTimersByTime(3_600_000);
  expect(ended).not.toHaveBeenCalled();
  locks.release(lock);
  expect(ended).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

test("two workers hold two different locks", () => {
  const locks = new FakeLocks();
  const called: string[] = [];
  holdLife((lock) => called.push(lock), locks);
  holdLife((lock) => called.push(lock), locks);
  expect(new Set(called).size).toBe(2);
});

test("makes no callback after the wait was cancelled", async () => {
  const locks = new FakeLocks();
  const ended = vi.fn();
  let lock = "";
  holdLife((name) => {
    lock = name;
  }, locks);
  whenEnded(lock, ended, locks)();
  locks.release(lock);
  await Promise.resolve();
  expect(ended).not.toHaveBeenCalled();
});

test("reports no lock if the browser has no locks", () => {
  const called = vi.fn();
  holdLife(called, null);
  expect(called).not.toHaveBeenCalled();
});

test("reports nothing and throws nothing if locks are denied", async () => {
  const called = vi.fn();
  const request = (() => Promise.reject(new Error("denied"))) as unknown as Locks["request"];
  holdLife(called, { request });
  whenEnded("a lock", called, { request });
  await new Promise((wait) => setTimeout(wait, 0));
  expect(called).not.toHaveBeenCalled();
});
