import { expect, test, vi } from "vitest";
import { watched } from "./watched";

function source() {
  let value = 1;
  let tell: (() => void) | null = null;
  const read = vi.fn(() => ({ value }));
  const stop = vi.fn(() => {
    tell = null;
  });
  const store = watched(
    read,
    (changed) => {
      tell = changed;
      return stop;
    },
    (a, b) => a.value === b.value,
  );
  const set = (next: number) => {
    value = next;
    tell?.();
  };
  return { read, stop, store, set };
}

test("the browser is asked once for all who show a value", () => {
  const { read, store } = source();
  store.subscribe(() => {});
  store.subscribe(() => {});
  expect(store.known()).toBe(store.known());
  expect(read).toHaveBeenCalledTimes(1);
});

test("all hear of another value, nobody of the same one read again", () => {
  const { store, set } = source();
  const [one, two] = [vi.fn(), vi.fn()];
  store.subscribe(one);
  store.subscribe(two);
  const before = store.known();
  set(1);
  expect(one).not.toHaveBeenCalled();
  expect(store.known()).toBe(before);
  set(2);
  expect([one, two].map((heard) => heard.mock.calls.length)).toEqual([1, 1]);
  expect(store.known().value).toBe(2);
});

test("what nobody listened to is read anew", () => {
  const { stop, store, set } = source();
  const end = store.subscribe(() => {});
  expect(store.known().value).toBe(1);
  end();
  expect(stop).toHaveBeenCalledTimes(1);
  set(3);
  expect(store.known().value).toBe(3);
});
